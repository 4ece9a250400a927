package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.NameRules
import ducklake.catalog.commit.Uuid7
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.RelationKind
import ducklake.catalog.types.Names
import ducklake.spark.definition.RequestedProperties
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException
import org.apache.spark.sql.connector.catalog.NamespaceChange

import java.util.Locale
import java.util.UUID

/** CREATE, ALTER and DROP SCHEMA. Comments and properties are stored as tags, which DuckDB ignores.
  */
final class SchemaDdl(session: SessionLake) {

  def create(namespace: Array[String], properties: Map[String, String]): Unit = {
    val path = Namespaces.pathOf(namespace)
    val name = path.last
    NameRules.schema(name).left.foreach(SparkErrors.raise)
    properties.foreach { case (key, value) => checkProperty(key, value) }
    val base = session.base()
    val parent = Option.when(path.sizeIs > 1)(around(base, path))
    val siblings = base.schemas().filter(_.parent == parent.map(_.id))
    if (siblings.exists(known => Names.isSame(known.name, name)))
      throw new NamespaceAlreadyExistsException(namespace)
    val uuid = Uuid7.next()
    val tags = properties.filterNot { case (key, _) => isDropped(key) }
    val directory = SchemaDdl.directory(parent, name, uuid)
    commit(base, Vector(Operation.CreateSchema(parent, name, uuid, directory, tags)))
  }

  /** The schema around a new one. Throws NoSuchNamespaceException. Errors: Unsupported in lakes
    * whose version has no nested schemas.
    */
  private def around(base: LakeSnapshot, path: Vector[String]): LakeSchema = {
    if (!base.version.hasNestedSchemas)
      SparkErrors.raise(
        LakeError.Unsupported(
          s"A schema in a schema (${path.mkString(".")}) of a lake of version ${base.version.text}",
          "Use one level, or a lake of version 1.1.",
        )
      )
    base
      .schema(path.dropRight(1))
      .getOrElse(throw new NoSuchNamespaceException(path.dropRight(1).toArray))
  }

  def alter(namespace: Array[String], changes: Seq[NamespaceChange]): Unit = {
    val (base, schema) = existing(namespace)
    val tags = changes.foldLeft(schema.tags) {
      case (tags, set: NamespaceChange.SetProperty) =>
        checkProperty(set.property, set.value)
        if (isDropped(set.property)) tags else tags + (set.property -> set.value)
      case (tags, remove: NamespaceChange.RemoveProperty) => tags - remove.property
      case (_, other) =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"The change ${other.getClass.getSimpleName} of a schema",
            "A schema has a comment and properties to change.",
          )
        )
    }
    if (tags != schema.tags) commit(base, Vector(Operation.SetSchemaTags(schema, tags)))
  }

  /** Drops a schema, with `cascade` also its tables, views, macros and the schemas in it. False
    * when the schema does not exist. Throws NonEmptyNamespaceException when the schema is not empty
    * and `cascade` is false.
    */
  def drop(namespace: Array[String], cascade: Boolean): Boolean =
    session.baseIfAny().exists { base =>
      Namespaces.find(base, namespace).exists { schema =>
        val contents = operations(base, schema)
        if (contents.nonEmpty && !cascade) throw new NonEmptyNamespaceException(namespace)
        commit(base, contents :+ Operation.DropSchema(schema))
        true
      }
    }

  private def operations(base: LakeSnapshot, schema: LakeSchema): Vector[Operation] = {
    val inside = base.schemas().filter(_.parent.contains(schema.id)).flatMap { child =>
      operations(base, child) :+ Operation.DropSchema(child)
    }
    val names = base.relations(schema)
    val tables = names.filter(_.kind == RelationKind.Table).flatMap { relation =>
      base.table(schema.path, relation.name).map(Operation.DropTable(_))
    }
    val views = names.filter(_.kind == RelationKind.View).flatMap { relation =>
      base.view(schema.path, relation.name).map(Operation.DropView(_))
    }
    val macros =
      base.macros().filter(_.schema.id == schema.id).distinctBy(_.id).map(dropMacro(schema, _))
    inside ++ tables ++ views ++ macros
  }

  private def dropMacro(schema: LakeSchema, lakeMacro: LakeMacro): Operation =
    Operation.DropMacro(schema.id, lakeMacro.id, isTableMacro = lakeMacro.kind == "table")

  private def existing(namespace: Array[String]): (LakeSnapshot, LakeSchema) =
    session
      .baseIfAny()
      .flatMap(base => Namespaces.find(base, namespace).map((base, _)))
      .getOrElse(throw new NoSuchNamespaceException(namespace))

  private def isDropped(key: String): Boolean = Set("owner", "collation")(lower(key))

  private def checkProperty(key: String, value: String): Unit =
    lower(key) match {
      case "location" =>
        SparkErrors.raise(
          LakeError.Unsupported(
            "A schema at a place of its own",
            "The lake chooses where files go. Leave LOCATION out.",
          )
        )
      case "collation" => RequestedProperties.check(key, value)
      case _ => ()
    }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  private def commit(base: LakeSnapshot, operations: Vector[Operation]): Unit = {
    val _ = session.commit(base, operations, StatementInfo.none).orThrow
  }
}

private object SchemaDdl {

  /** The directory of a new schema. A nested schema has its uuid as the directory, because all
    * paths are relative to the data path, and names are unique only within the schema around them.
    */
  private def directory(parent: Option[LakeSchema], name: String, uuid: UUID): LakePath =
    if (parent.isEmpty) NameRules.directory(name, uuid)
    else LakePath(s"$uuid/", isRelative = true)
}
