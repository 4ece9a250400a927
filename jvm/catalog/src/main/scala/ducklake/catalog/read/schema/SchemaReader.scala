package ducklake.catalog.read.schema

import ducklake.catalog.cache.SchemaCache
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationKind
import ducklake.catalog.model.RelationName
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.query.SchemaSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Names
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** Reads the schemas, tables, views and macros of a lake at a snapshot. It reads only the requested
  * part.
  */
final class SchemaReader(database: Database, cache: SchemaCache) {

  def schemas(head: CatalogHead): Vector[LakeSchema] =
    cache.schemas(head.schemaKey) {
      database.consistent("read the schemas")(readSchemas(_, head))
    }

  /** The schema to which the names lead, outermost first. Each is matched exactly first, then
    * without regard to case.
    */
  def schema(head: CatalogHead, path: Vector[String]): Option[LakeSchema] =
    LakeSchema.find(schemas(head), path)

  /** Tables and views, ordered by name. */
  def relations(head: CatalogHead, schema: LakeSchema): Vector[RelationName] =
    cache.relations(head.schemaKey, schema.id) {
      database.single(s"list the tables of ${schema.qualifiedName}") { session =>
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
        database.consistent(s"read the table ${schema.qualifiedName}.$name") { session =>
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
      val known = schemas(head).map(schema => schema.id.value -> schema).toMap
      database.consistent("read the macros")(MacroReader.read(_, sqlOf(head), head, known))
    }

  /** A live table, whatever its name is. */
  def table(head: CatalogHead, id: TableId): Option[LakeTable] =
    place(head, id).flatMap { case (schema, name) => table(head, schema, name) }.filter(_.id == id)

  /** The name of a live table with its schema, for messages. */
  def tableName(head: CatalogHead, id: TableId): Option[String] =
    place(head, id).map { case (schema, name) => s"${schema.qualifiedName}.$name" }

  /** The schema of a live table, and its name there. */
  private def place(head: CatalogHead, id: TableId): Option[(LakeSchema, String)] = {
    val found = database.single("read a table's name") { session =>
      session.first(sqlOf(head).tableName(id, head.snapshot.id)) { row =>
        (SchemaId(row.long(1)), row.text(2))
      }
    }
    for {
      (holder, name) <- found
      schema <- schemas(head).find(_.id == holder)
    } yield (schema, name)
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
      val path = PathDecoder.decode(row, 4)
      SchemaRow(row.long(1), row.uuid(2), row.text(3), path, row.longOption(6))
    }
    val tags = readTags(session, head, rows.map(_.id))
    val parents = SchemaRow.parents(rows)
    rows.map { row =>
      val own = tags.getOrElse(row.id, Map.empty[String, String])
      val directory = row.path.folderIn(head.dataPath)
      LakeSchema(
        SchemaId(row.id),
        row.uuid,
        row.parent.map(SchemaId(_)),
        parents(row.id),
        row.name,
        directory,
        own,
      )
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
            columnComments = Map.empty,
          )
        }
      }
      .flatten
    val tags = readTags(session, head, views.map(_.id.value))
    val comments = readColumnComments(session, head)
    views.map { view =>
      view.copy(
        tags = tags.getOrElse(view.id.value, Map.empty),
        columnComments = comments.getOrElse(view.id.value, Map.empty),
      )
    }
  }

  /** The comments on columns of views, by view. */
  private def readColumnComments(
      session: Session,
      head: CatalogHead,
  ): Map[Long, Map[String, String]] =
    if (!head.version.hasViewColumnTags) Map.empty
    else
      session
        .query(sqlOf(head).viewColumnComments(head.snapshot.id)) { row =>
          row.textOption(3).map(comment => (row.long(1), row.text(2) -> comment))
        }
        .flatten
        .groupMap(_._1)(_._2)
        .map { case (view, comments) => view -> comments.toMap }
}
