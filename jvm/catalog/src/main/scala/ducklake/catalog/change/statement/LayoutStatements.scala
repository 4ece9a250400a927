package ducklake.catalog.change.statement

import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.TransformText
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.TableId

/** Statements on partition specs and sort orders. Their ids come from the sequence of table ids. */
private[statement] final class LayoutStatements(sql: WriteSql) {

  /** The first partition spec of a table; None when there are no keys. */
  def partition(
      plan: CommitDraft,
      table: TableId,
      keys: Vector[PartitionKey],
  ): (CommitDraft, Option[PartitionId]) =
    if (keys.isEmpty) (plan, None)
    else (beginPartition(plan, table, keys), Some(PartitionId(plan.nextCatalogId)))

  /** A new partition spec in place of the live one. A spec without keys means that the table is not
    * partitioned.
    */
  def repartition(plan: CommitDraft, table: TableId, keys: Vector[PartitionKey]): CommitDraft = {
    val ended =
      plan.run(sql.end(MetadataSchema.PartitionInfo, "table_id", Vector(table.value), plan.at))
    beginPartition(ended, table, keys)
  }

  def sort(plan: CommitDraft, table: TableId, keys: Vector[SortKey]): CommitDraft =
    if (keys.isEmpty) plan
    else {
      val id = plan.nextCatalogId
      plan
        .copy(nextCatalogId = id + 1)
        .run(
          Vector(
            sql.insertRow(MetadataSchema.SortInfo)(
              "sort_id" -> Bind.Number(id),
              "table_id" -> Bind.Number(table.value),
              "begin_snapshot" -> Bind.Number(plan.at.value),
              "end_snapshot" -> Bind.Absent,
            )
          )
        )
        .run(sortKeys(id, table, keys))
    }

  def resort(plan: CommitDraft, table: TableId, keys: Vector[SortKey]): CommitDraft = {
    val ended =
      plan.run(sql.end(MetadataSchema.SortInfo, "table_id", Vector(table.value), plan.at))
    sort(ended, table, keys)
  }

  private def beginPartition(
      plan: CommitDraft,
      table: TableId,
      keys: Vector[PartitionKey],
  ): CommitDraft = {
    val id = plan.nextCatalogId
    plan
      .copy(nextCatalogId = id + 1, layouts = plan.layouts + (table -> PartitionId(id)))
      .run(
        Vector(
          sql.insertRow(MetadataSchema.PartitionInfo)(
            "partition_id" -> Bind.Number(id),
            "table_id" -> Bind.Number(table.value),
            "begin_snapshot" -> Bind.Number(plan.at.value),
            "end_snapshot" -> Bind.Absent,
          )
        )
      )
      .run(partitionKeys(id, table, keys))
  }

  private def partitionKeys(id: Long, table: TableId, keys: Vector[PartitionKey]): Vector[Sql] =
    sql.insert(MetadataSchema.PartitionColumn, keys.zipWithIndex)(
      "partition_id" -> (_ => Bind.Number(id)),
      "table_id" -> (_ => Bind.Number(table.value)),
      "partition_key_index" -> (key => Bind.Number(key._2.toLong)),
      "column_id" -> (key => Bind.Number(key._1.column.value)),
      "transform" -> (key => Bind.Text(TransformText.print(key._1.transform))),
    )

  private def sortKeys(id: Long, table: TableId, keys: Vector[SortKey]): Vector[Sql] =
    sql.insert(MetadataSchema.SortExpression, keys.zipWithIndex)(
      "sort_id" -> (_ => Bind.Number(id)),
      "table_id" -> (_ => Bind.Number(table.value)),
      "sort_key_index" -> (key => Bind.Number(key._2.toLong)),
      "expression" -> (key => Bind.Text(key._1.expression)),
      "dialect" -> (key => Bind.Text(key._1.dialect)),
      "sort_direction" -> (key => Bind.Text(directionText(key._1.direction))),
      "null_order" -> (key => Bind.Text(nullsText(key._1.nulls))),
    )

  private def directionText(direction: SortDirection): String = direction match {
    case SortDirection.Ascending => "ASC"
    case SortDirection.Descending => "DESC"
  }

  private def nullsText(nulls: NullOrder): String = nulls match {
    case NullOrder.First => "NULLS_FIRST"
    case NullOrder.Last => "NULLS_LAST"
  }
}
