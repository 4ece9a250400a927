package ducklake.catalog.change.statement

import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.TransformText
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.TableId

/** Statements on partition specs and sort orders. Their ids come from the sequence of table ids. */
private[statement] final class LayoutStatements(sql: WriteSql) {

  /** The first partition spec of a table; None when there are no keys. */
  def partition(
      plan: CommitPlan,
      table: TableId,
      keys: Vector[PartitionKey],
  ): (CommitPlan, Option[PartitionId]) =
    if (keys.isEmpty) (plan, None)
    else (beginPartition(plan, table, keys), Some(PartitionId(plan.nextCatalogId)))

  /** A new partition spec in place of the live one. A spec without keys means that the table is not
    * partitioned.
    */
  def repartition(plan: CommitPlan, table: TableId, keys: Vector[PartitionKey]): CommitPlan = {
    val ended =
      plan.run(sql.end(MetadataSchema.PartitionInfo, "table_id", Vector(table.value), plan.at))
    beginPartition(ended, table, keys)
  }

  def sort(plan: CommitPlan, table: TableId, keys: Vector[SortKey]): CommitPlan =
    if (keys.isEmpty) plan
    else {
      val id = plan.nextCatalogId
      plan
        .copy(nextCatalogId = id + 1)
        .run(Vector(sql.insert(MetadataSchema.SortInfo, info(plan, id, table))))
        .run(
          sql.insert(
            MetadataSchema.SortExpression,
            keys.zipWithIndex.map { case (key, index) =>
              sortRow(id, table, index, key)
            },
          )
        )
    }

  def resort(plan: CommitPlan, table: TableId, keys: Vector[SortKey]): CommitPlan = {
    val ended =
      plan.run(sql.end(MetadataSchema.SortInfo, "table_id", Vector(table.value), plan.at))
    sort(ended, table, keys)
  }

  private def beginPartition(
      plan: CommitPlan,
      table: TableId,
      keys: Vector[PartitionKey],
  ): CommitPlan = {
    val id = plan.nextCatalogId
    val rows = keys.zipWithIndex.map { case (key, index) =>
      Vector[Bind](
        Bind.Number(id),
        Bind.Number(table.value),
        Bind.Number(index.toLong),
        Bind.Number(key.column.value),
        Bind.Text(TransformText.print(key.transform)),
      )
    }
    plan
      .copy(nextCatalogId = id + 1)
      .run(Vector(sql.insert(MetadataSchema.PartitionInfo, info(plan, id, table))))
      .run(sql.insert(MetadataSchema.PartitionColumn, rows))
  }

  private def info(plan: CommitPlan, id: Long, table: TableId): Vector[Bind] =
    Vector(
      Bind.Number(id),
      Bind.Number(table.value),
      Bind.Number(plan.at.value),
      Bind.Absent,
    )

  private def sortRow(id: Long, table: TableId, index: Int, key: SortKey): Vector[Bind] = {
    val direction = key.direction match {
      case SortDirection.Ascending => "ASC"
      case SortDirection.Descending => "DESC"
    }
    val nulls = key.nulls match {
      case NullOrder.First => "NULLS_FIRST"
      case NullOrder.Last => "NULLS_LAST"
    }
    Vector(
      Bind.Number(id),
      Bind.Number(table.value),
      Bind.Number(index.toLong),
      Bind.Text(key.expression),
      Bind.Text(key.dialect),
      Bind.Text(direction),
      Bind.Text(nulls),
    )
  }
}
