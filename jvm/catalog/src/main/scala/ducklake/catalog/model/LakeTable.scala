package ducklake.catalog.model

import ducklake.catalog.types.Column
import ducklake.catalog.types.MacroId
import ducklake.catalog.types.Names
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

import java.util.UUID

import scala.annotation.tailrec

/** A schema of the lake.
  *
  * @param parent the schema around it; None at the top level
  * @param parents the names of all schemas around it, outermost first
  * @param name its own name
  * @param directory its full path, ending in a separator
  */
final case class LakeSchema(
    id: SchemaId,
    uuid: UUID,
    parent: Option[SchemaId],
    parents: Vector[String],
    name: String,
    directory: String,
    tags: Map[String, String],
) {

  /** The names that lead to the schema, its own name last. */
  def path: Vector[String] = parents :+ name

  /** The schema's name for messages. */
  def qualifiedName: String = path.mkString(".")
}

object LakeSchema {

  /** The schema to which the names lead, outermost first. Each is matched exactly first, then
    * without regard to case.
    */
  def find(all: Vector[LakeSchema], path: Vector[String]): Option[LakeSchema] = {
    @tailrec
    def below(parents: Vector[String], names: List[String]): Option[LakeSchema] = names match {
      case Nil => None
      case name :: more =>
        Names.find(all.filter(_.parents == parents), name)(_.name) match {
          case Some(found) if more.nonEmpty => below(found.path, more)
          case found => found
        }
    }
    below(Vector.empty, path.toList)
  }
}

/** A table as it is at one snapshot.
  *
  * @param directory full resolved path, ending in a separator, in DuckDB's spelling
  * @param tags live tags of the table by key, the comment (key `comment`) among them
  * @param partition None when the table is not partitioned at this snapshot
  */
final case class LakeTable(
    id: TableId,
    uuid: UUID,
    schema: LakeSchema,
    name: String,
    directory: String,
    columns: Vector[Column],
    tags: Map[String, String],
    partition: Option[PartitionSpec],
    sort: Option[SortSpec],
) {
  def comment: Option[String] = tags.get("comment")

  /** The names that lead to the table, its own name last. */
  def path: Vector[String] = schema.path :+ name

  /** The table's name for messages. */
  def qualifiedName: String = s"${schema.qualifiedName}.$name"
}

/** A view: its text and the SQL dialect of the text.
  *
  * @param aliases its column aliases, empty when there are none
  * @param columnComments comments on its columns, by the names that the view gives to them
  */
final case class LakeView(
    id: TableId,
    uuid: UUID,
    schema: LakeSchema,
    name: String,
    dialect: String,
    sql: String,
    aliases: String,
    tags: Map[String, String],
    columnComments: Map[String, String],
) {

  /** The view's name for messages. */
  def qualifiedName: String = s"${schema.qualifiedName}.$name"
}

/** One implementation of a macro that DuckDB created. `kind` is the stored text, `scalar` or
  * `table`.
  */
final case class LakeMacro(
    id: MacroId,
    schema: LakeSchema,
    name: String,
    kind: String,
    parameters: Vector[MacroParameter],
    sql: String,
    dialect: String,
)

/** A parameter of a macro.
  *
  * @param typeText None for a parameter that takes values of any type
  * @param default as text; a parameter without a default has the text `NULL`
  * @param defaultType the type of the default
  */
final case class MacroParameter(
    name: String,
    typeText: Option[String],
    default: Option[String],
    defaultType: Option[String],
)

/** The kinds of objects that share one namespace in a schema. */
sealed trait RelationKind

object RelationKind {
  case object Table extends RelationKind
  case object View extends RelationKind
}

/** A table or view in a listing. One statement reads all of them. */
final case class RelationName(name: String, kind: RelationKind)
