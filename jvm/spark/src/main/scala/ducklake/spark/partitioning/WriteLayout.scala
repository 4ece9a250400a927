package ducklake.spark.partitioning

import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId
import ducklake.spark.types.TextLengths

/** The facts about a table that a writer needs. The table exists or is created by the same commit.
  *
  * @param name `schema.table`, for messages
  * @param directory the full path in DuckDB's spelling, ending in a separator
  * @param columns top-level columns with their final ids
  * @param id None for a table that the commit creates
  * @param options lake options that the commit stores for the table
  * @param lengths of the columns' texts
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
    lengths: TextLengths,
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
      TextLengths.of(table.tags),
    )
}
