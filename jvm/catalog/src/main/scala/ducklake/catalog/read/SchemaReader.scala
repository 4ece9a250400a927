package ducklake.catalog.read

import ducklake.catalog.cache.SchemaCache
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationKind
import ducklake.catalog.model.RelationName
import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.SchemaSql
import ducklake.catalog.types.Names

/** Reads the schemas, tables, views and macros of a lake at a snapshot. It reads only the requested
  * part.
  */
final class SchemaReader(database: Database, cache: SchemaCache) {

  def schemas(head: CatalogHead): Vector[LakeSchema] =
    cache.schemas(head.schemaKey) {
      database.consistent("read the schemas")(readSchemas(_, head))
    }

  /** The schema with this name, matched exactly first, then without regard to case. */
  def schema(head: CatalogHead, name: String): Option[LakeSchema] =
    Names.find(schemas(head), name)(_.name)

  /** Tables and views, ordered by name. */
  def relations(head: CatalogHead, schema: LakeSchema): Vector[RelationName] =
    cache.relations(head.schemaKey, schema.id) {
      database.single(s"list the tables of ${schema.name}") { session =>
        session
          .query(sqlOf(head).relations(schema.id, head.snapshot.id)) { row =>
            val kind = if (row.long(2) == 0) RelationKind.Table else RelationKind.View
            RelationName(row.text(1), kind)
          }
          .sortBy(_.name)
      }
    }

  def table(head: CatalogHead, schema: LakeSchema, name: String): Option[LakeTable] =
    cache
      .table(head.schemaKey, schema.id, name) {
        database.consistent(s"read the table ${schema.name}.$name") { session =>
          readTable(session, head, schema, name)
        }
      }
      .orElse(otherCase(head, schema, name, RelationKind.Table).flatMap(table(head, schema, _)))

  /** All views, ordered by schema and name. */
  def views(head: CatalogHead): Vector[LakeView] = {
    val known = schemas(head)
    cache.views(head.schemaKey) {
      database.consistent("read the views")(session => readViews(session, head, known))
    }
  }

  def view(head: CatalogHead, schema: LakeSchema, name: String): Option[LakeView] =
    Names.find(views(head).filter(_.schema.id == schema.id), name)(_.name)

  /** All macros, ordered by schema and name. */
  def macros(head: CatalogHead): Vector[LakeMacro] =
    if (!head.version.hasMacros) Vector.empty
    else {
      val names = schemas(head).map(schema => schema.id.value -> schema.name).toMap
      database.consistent("read the macros")(MacroReader.read(_, sqlOf(head), head, names))
    }

  /** `schema.table` of a live table. */
  def tableName(head: CatalogHead, id: TableId): Option[String] =
    database.single("read a table's name") { session =>
      session.first(sqlOf(head).tableName(id, head.snapshot.id))(row =>
        s"${row.text(1)}.${row.text(2)}"
      )
    }

  /** One more than any column id that the table ever had. */
  def nextColumnId(head: CatalogHead, id: TableId): ColumnId =
    database.single("read the last column id") { session =>
      val last = session.first(sqlOf(head).lastColumnId(id))(_.longOr(1, 0L))
      ColumnId(last.getOrElse(0L) + 1)
    }

  private def sqlOf(head: CatalogHead): SchemaSql = new SchemaSql(database.dialect, head.version)

  private def otherCase(
      head: CatalogHead,
      schema: LakeSchema,
      name: String,
      kind: RelationKind,
  ): Option[String] = {
    val names = relations(head, schema).filter(_.kind == kind).map(_.name)
    names.find(known => known != name && Names.isSame(known, name))
  }

  private def readSchemas(session: Session, head: CatalogHead): Vector[LakeSchema] = {
    val sql = sqlOf(head)
    val rows = session.query(sql.schemas(head.snapshot.id)) { row =>
      (row.long(1), row.uuid(2), row.text(3), PathDecoder.decode(row, 4))
    }
    val tags = readTags(session, head, rows.map(_._1))
    rows.map { case (id, uuid, name, path) =>
      val own = tags.getOrElse(id, Map.empty[String, String])
      LakeSchema(SchemaId(id), uuid, name, path.folderIn(head.dataPath), own)
    }
  }

  private def readTags(
      session: Session,
      head: CatalogHead,
      objects: Vector[Long],
  ): Map[Long, Map[String, String]] =
    if (objects.isEmpty) Map.empty
    else {
      val rows = session.query(sqlOf(head).tags(objects, head.snapshot.id)) { row =>
        (row.long(1), row.text(2), row.textOption(3))
      }
      rows
        .collect { case (id, key, Some(value)) => (id, key, value) }
        .groupMap(_._1) { case (_, key, value) => key -> value }
        .map { case (id, pairs) => id -> pairs.toMap }
    }

  private def readTable(
      session: Session,
      head: CatalogHead,
      schema: LakeSchema,
      name: String,
  ): Option[LakeTable] = {
    val found = session.first(sqlOf(head).table(schema.id, name, head.snapshot.id)) { row =>
      (TableId(row.long(1)), row.uuid(2), row.text(3), PathDecoder.decode(row, 4))
    }
    found.map { case (id, uuid, stored, path) =>
      val details = new TableDetails(session, sqlOf(head), head, id)
      LakeTable(
        id = id,
        uuid = uuid,
        schema = schema,
        name = stored,
        directory = path.folderIn(schema.directory),
        columns = details.columns,
        tags = readTags(session, head, Vector(id.value)).getOrElse(id.value, Map.empty),
        partition = details.partition,
        sort = details.sort,
      )
    }
  }

  private def readViews(
      session: Session,
      head: CatalogHead,
      known: Vector[LakeSchema],
  ): Vector[LakeView] = {
    val schemas = known.map(schema => schema.id.value -> schema).toMap
    val views = session
      .query(sqlOf(head).views(head.snapshot.id)) { row =>
        schemas.get(row.long(1)).map { schema =>
          LakeView(
            id = TableId(row.long(2)),
            uuid = row.uuid(3),
            schema = schema,
            name = row.text(4),
            dialect = row.textOption(5).getOrElse(""),
            sql = row.text(6),
            aliases = row.textOption(7).getOrElse(""),
            tags = Map.empty,
          )
        }
      }
      .flatten
    val tags = readTags(session, head, views.map(_.id.value))
    views.map(view => view.copy(tags = tags.getOrElse(view.id.value, Map.empty)))
  }
}
