package ducklake.spark.write

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.TableTarget
import ducklake.catalog.model.Column
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.SortKey
import ducklake.catalog.model.TableId
import ducklake.spark.SessionLake
import ducklake.spark.config.WriteConfig
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The table that a write's rows go to, and how the write becomes part of the lake.
  *
  * @param base the snapshot that the statement sees
  */
final case class WriteTarget(
    session: SessionLake,
    base: LakeSnapshot,
    table: TableTarget,
    layout: WriteLayout,
    sink: WriteSink,
) {

  /** How the write makes its files.
    *
    * @param options its own
    */
  def config(options: CaseInsensitiveStringMap): WriteConfig =
    WriteConfig.of(session.lake.options(), layout.schema, layout.id, layout.options, options)

  /** How many rows of the write, or deleted positions of a file, the catalog itself may keep. */
  def inliningRowLimit(config: WriteConfig): Long =
    config.inliningRowLimit.getOrElse(session.inliningRowLimit)
}

object WriteTarget {

  /** A table of the lake. */
  def existing(session: SessionLake, base: LakeSnapshot, table: LakeTable): WriteTarget =
    WriteTarget(
      session,
      base,
      TableTarget.Existing(table),
      WriteLayout.of(table),
      session.sink,
    )
}

/** What a writer needs to know of a table, be it there already or not.
  *
  * @param name for messages: `schema.table`
  * @param directory full path, ending in a separator, in DuckDB's spelling
  * @param columns top-level columns with their final ids
  * @param id None for a table that the commit creates
  * @param options lake options that the commit is to store for the table
  */
final case class WriteLayout(
    name: String,
    directory: String,
    columns: Vector[Column],
    partition: Vector[PartitionKey],
    sort: Vector[SortKey],
    schema: SchemaId,
    id: Option[TableId],
    options: Map[String, String],
)

object WriteLayout {

  def of(table: LakeTable): WriteLayout =
    WriteLayout(
      table.qualifiedName,
      table.directory,
      table.columns,
      table.partition.fold(Vector.empty[PartitionKey])(_.keys),
      table.sort.fold(Vector.empty[SortKey])(_.keys),
      table.schema.id,
      Some(table.id),
      Map.empty,
    )
}
