package ducklake.spark.moving.out

import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId

/** A table at a snapshot, as other formats show it.
  *
  * @param toFlush rows in the catalog that the call will flush first
  * @param statistics of columns and their parts, by file; absent where they are unknown
  * @param refused what no other format can show: parts of a sentence
  */
private[out] final case class ExportedTable(
    table: LakeTable,
    snapshot: Snapshot,
    files: Vector[DataFile],
    toFlush: Long,
    statistics: Map[DataFileId, Map[ColumnId, ColumnStatistics]],
    refused: Vector[String],
) {
  def name: String = table.qualifiedName
}

private[out] object ExportedTable {

  def of(asked: ExportRequest): ExportedTable = {
    val (lake, table) = (asked.snapshot, asked.table)
    val request = FileRequest(
      Vector.empty,
      table.columns.flatMap(ids).toSet,
      None,
      partitionValues = PartitionValues.LeftOut,
    )
    val listing = lake.files(table, request)
    val inlinedRows = lake.counts(table).inlinedRows
    val toFlush = if (asked.willFlush) inlinedRows else 0L
    val problems = Vector(
      Option.when(lake.isEncrypted)("the lake is encrypted"),
      inlined(inlinedRows - toFlush),
      counted(listing.files.count(_.mapping.nonEmpty), "data files without field ids of the table"),
      counted(
        listing.files.count(_.visibility != RowVisibility.All),
        "data files with rows of later snapshots",
      ),
    )
    val refused = problems.flatten
    ExportedTable(table, lake.snapshot, listing.files, toFlush, listing.statistics, refused)
  }

  private def inlined(rows: Long): Option[String] =
    Option.when(rows > 0)(s"$rows rows in the catalog: flush them, or call with flush => true")

  private def counted(count: Int, what: String): Option[String] =
    Option.when(count > 0)(s"$count $what")

  private def ids(column: Column): Vector[ColumnId] =
    column.id +: column.children.flatMap(ids)
}
