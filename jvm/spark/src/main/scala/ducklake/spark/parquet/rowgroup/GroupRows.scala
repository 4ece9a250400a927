package ducklake.spark.parquet.rowgroup

import ducklake.files.store.PartialGroups
import ducklake.files.store.RowRuns
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.hadoop.metadata.BlockMetaData

/** Reads the row groups of a part of a file one after another, without the rows that cannot match as
  * far as that saves work.
  *
  * @param filter leaves out the pages that it excludes by the file's column indexes
  * @param keys leaves out rows by the values of the columns that filters test, and deleted rows
  */
private[parquet] final class GroupRows(
    reader: GroupReader,
    groups: Vector[BlockMetaData],
    filter: Option[FilterPredicate],
    keys: Option[KeyPass],
) extends AutoCloseable {

  private var group = -1
  private var skippedRows = 0L
  private var skippedGroups = 0L

  /** Number of rows so far of which at most the keys were read. */
  def rowsSkipped: Long = skippedRows

  /** Number of row groups so far of which at most the keys were read. */
  def groupsSkipped: Long = skippedGroups

  /** Decodes the next batch; false at the end. Errors: errors of Parquet and of the storage. */
  @annotation.tailrec
  def next(): Boolean =
    if (reader.next()) true
    else if (group == groups.length - 1) false
    else {
      group += 1
      start()
      next()
    }

  private def start(): Unit = {
    val described = groups(group)
    val admitted = filtered(described)
    val rows =
      if (admitted.isEmpty) admitted
      else
        keys.fold(admitted) { pass =>
          val canSkip = reader.canSkip(group)
          val isFew = (found: RowRuns) => canSkip && reader.isFew(group, found)
          pass.rows(group, described.getRowIndexOffset, admitted, canSkip, isFew)
        }
    skippedRows += described.getRowCount - rows.rows
    if (rows.isEmpty) skippedGroups += 1 else reader.start(group, rows)
  }

  private def filtered(described: BlockMetaData): RowRuns =
    filter match {
      case Some(wanted) if PartialGroups.hasPagePlaces(described) && reader.canSkip(group) =>
        PartialGroups.matching(reader.under, group, wanted)
      case _ => RowRuns.all(described.getRowCount)
    }

  override def close(): Unit =
    try keys.foreach(_.close())
    finally reader.close()
}
