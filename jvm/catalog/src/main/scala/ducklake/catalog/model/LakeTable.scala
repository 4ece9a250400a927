package ducklake.catalog.model

import java.util.UUID

/** A schema of the lake. `directory` is its full path, ending in a separator. */
final case class LakeSchema(
    id: SchemaId,
    uuid: UUID,
    name: String,
    directory: String,
    tags: Map[String, String],
)

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

  /** The table's name for messages. */
  def qualifiedName: String = s"${schema.name}.$name"
}

/** A view: its text and the SQL dialect of the text. `aliases` are its column aliases, empty when
  * there are none.
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
)

/** One implementation of a macro that DuckDB created. `kind` is the stored text, `scalar` or
  * `table`.
  */
final case class LakeMacro(
    id: MacroId,
    schema: String,
    name: String,
    kind: String,
    parameters: Vector[MacroParameter],
    sql: String,
    dialect: String,
)

final case class MacroParameter(name: String, typeText: Option[String], default: Option[String])

/** The kinds of objects that share one namespace in a schema. */
sealed trait RelationKind

object RelationKind {
  case object Table extends RelationKind
  case object View extends RelationKind
}

/** A table or view in a listing. One statement reads all of them. */
final case class RelationName(name: String, kind: RelationKind)
