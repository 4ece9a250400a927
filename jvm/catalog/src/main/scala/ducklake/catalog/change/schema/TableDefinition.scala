package ducklake.catalog.change.schema

import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.SchemaId

/** All properties of a table that a statement can change, without the ids that the commit assigns.
  *
  * @param columns with their final column ids, which are assigned before the commit
  * @param tags by key, the comment (key `comment`) among them
  * @param partition keys in order, indexes 0, 1, …; empty: not partitioned
  */
final case class TableDefinition(
    schema: SchemaId,
    name: String,
    columns: Vector[Column],
    tags: Map[String, String],
    partition: Vector[PartitionKey],
    sort: Vector[SortKey],
)

object TableDefinition {

  def of(table: LakeTable): TableDefinition =
    TableDefinition(
      table.schema.id,
      table.name,
      table.columns,
      table.tags,
      table.partition.fold(Vector.empty[PartitionKey])(_.keys),
      table.sort.fold(Vector.empty[SortKey])(_.keys),
    )
}
