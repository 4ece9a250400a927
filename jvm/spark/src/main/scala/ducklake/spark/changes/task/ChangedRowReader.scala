package ducklake.spark.changes.task

import ducklake.files.parquet.ReservedFields
import ducklake.spark.changes.ChangeSide
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePlan
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.rowgroup.RowChoice
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Reads the changed rows of a file, both sides in one pass.
  *
  * @param sides the sides to read
  * @param scan differs for each scan
  * @param wantsRowIds whether the row ids are needed
  */
private[changes] final class ChangedRowReader(
    file: ChangedFile,
    sides: Vector[ChangeSide],
    read: ReadSpec,
    range: FeedRange,
    scan: String,
    wantsRowIds: Boolean,
    conf: Configuration,
    layout: BatchLayout,
) extends AutoCloseable {

  private val lifetimes: RowLifetimes =
    new RowLifetimes(file.begin, FileDeletes.of(scan, file, conf), file.fileEnd)

  private val hasEmbedded = file.begin match {
    case _: RowBegin.Embedded => true
    case _: RowBegin.Same | _: RowBegin.Runs => false
  }

  private val needsPositions = file.begin match {
    case _: RowBegin.Runs => true
    case _: RowBegin.Same | _: RowBegin.Embedded => sides.contains(ChangeSide.Deletion)
  }

  private val extras: Vector[ReadColumn] =
    Option.when(wantsRowIds)(ReadColumn.RowId).toVector ++
      Option.when(hasEmbedded)(ReadColumn.SnapshotOfRow) ++
      Option.when(needsPositions)(ReadColumn.PositionInFile)

  private val batches: FileBatches =
    FileBatches.open(file.part, read.copy(columns = read.columns ++ extras), conf, layout)(choices)

  /** The next batch; None at the end. Its first columns are the columns of the [[ReadSpec]]. */
  def next(): Option[SideBatch] = batches.next().map { batch =>
    def extra(column: ReadColumn): Option[ColumnVector] =
      Option.when(extras.contains(column))(
        batch.column(read.columns.length + extras.indexOf(column))
      )
    val side = sides(batches.choice)
    new SideBatch(
      batch,
      side,
      extra(ReadColumn.RowId),
      snapshotOf(side, extra(ReadColumn.SnapshotOfRow), extra(ReadColumn.PositionInFile)),
    )
  }

  def rowsHidden: Long = batches.rowsHidden

  def rowsSkipped: Long = batches.rowsSkipped

  def groupsSkipped: Long = batches.groupsSkipped

  override def close(): Unit = batches.close()

  private def snapshotOf(
      side: ChangeSide,
      embedded: Option[ColumnVector],
      positions: Option[ColumnVector],
  ): SnapshotOfRow =
    (side, positions) match {
      case (ChangeSide.Deletion, Some(at)) => row => lifetimes.endOf(at.getLong(row))
      case (_, Some(at)) => row => file.begin.of(at.getLong(row), embedded, row)
      case (_, None) => row => file.begin.of(0L, embedded, row)
    }

  private def choices(plan: FilePlan): Vector[RowChoice] = {
    val ordinal = Option
      .when(hasEmbedded) {
        plan.extras.find(_.fieldId == ReservedFields.snapshotId).map(plan.ordinalOf)
      }
      .flatten
    sides.map {
      case ChangeSide.Insertion => new InsertedRows(lifetimes, range, ordinal)
      case ChangeSide.Deletion => new DeletedRows(lifetimes, range, ordinal)
    }
  }
}

/** The snapshot that changed a row of a batch. It is a trait, because a function would box its
  * numbers.
  */
private[changes] trait SnapshotOfRow {
  def apply(row: Int): Long
}

/** Rows of one side.
  *
  * @param rows the columns of the [[ReadSpec]] first
  */
private[changes] final class SideBatch(
    val rows: ColumnarBatch,
    val side: ChangeSide,
    val rowIds: Option[ColumnVector],
    val snapshots: SnapshotOfRow,
)
