package ducklake.spark.changes

import ducklake.files.DeleteFileReader
import ducklake.files.ReservedFields
import ducklake.files.SnapshotPositions
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePlan
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.read.RowChoice
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Reads the rows of one side of a changed file.
  *
  * @param wantsRowIds whether the row ids are needed
  */
private[changes] final class SideReader(
    file: ChangedFile,
    side: ChangeSide,
    read: ReadSpec,
    range: FeedRange,
    wantsRowIds: Boolean,
    conf: Configuration,
    layout: BatchLayout,
) extends AutoCloseable {

  private val lifetimes: RowLifetimes = new RowLifetimes(file.begin, deletes, file.fileEnd)

  private val hasEmbedded = file.begin match {
    case _: RowBegin.Embedded => true
    case _: RowBegin.Same | _: RowBegin.Runs => false
  }

  private val needsPositions = (side, file.begin) match {
    case (ChangeSide.Deletion, _) | (_, _: RowBegin.Runs) => true
    case (ChangeSide.Insertion, _: RowBegin.Same | _: RowBegin.Embedded) => false
  }

  private val extras: Vector[ReadColumn] =
    Option.when(wantsRowIds)(ReadColumn.RowId).toVector ++
      Option.when(hasEmbedded)(ReadColumn.SnapshotOfRow) ++
      Option.when(needsPositions)(ReadColumn.PositionInFile)

  private val batches: FileBatches =
    FileBatches.open(file.part, read.copy(columns = read.columns ++ extras), conf, layout)(choice)

  /** The next batch; None at the end. Its first columns are those of the [[ReadSpec]]. */
  def next(): Option[SideBatch] = batches.next().map { batch =>
    def extra(column: ReadColumn): Option[ColumnVector] =
      Option.when(extras.contains(column))(
        batch.column(read.columns.length + extras.indexOf(column))
      )
    new SideBatch(
      batch,
      extra(ReadColumn.RowId),
      snapshotOf(extra(ReadColumn.SnapshotOfRow), extra(ReadColumn.PositionInFile)),
    )
  }

  def rowsHidden: Long = batches.rowsHidden

  override def close(): Unit = batches.close()

  private def snapshotOf(
      embedded: Option[ColumnVector],
      positions: Option[ColumnVector],
  ): SnapshotOfRow =
    (side, positions) match {
      case (ChangeSide.Deletion, Some(at)) => row => lifetimes.endOf(at.getLong(row))
      case (_, Some(at)) => row => file.begin.of(at.getLong(row), embedded, row)
      case (_, None) => row => file.begin.of(0L, embedded, row)
    }

  private def choice(plan: FilePlan): RowChoice = {
    val ordinal = Option
      .when(hasEmbedded) {
        plan.extras.find(_.fieldId == ReservedFields.snapshotId).map(plan.ordinalOf)
      }
      .flatten
    side match {
      case ChangeSide.Insertion => new InsertedRows(lifetimes, range, ordinal)
      case ChangeSide.Deletion => new DeletedRows(lifetimes, range, ordinal)
    }
  }

  private def deletes: SnapshotPositions = {
    val inlined = SnapshotPositions(file.inlined.toVector.zip(file.inlinedSnapshots))
    file.deleteFiles
      .map { delete =>
        DeleteFileReader.readWithSnapshots(
          delete.path,
          file.part.table,
          delete.format,
          delete.begin,
          conf,
        )
      }
      .foldLeft(inlined)(_.union(_))
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
    val rowIds: Option[ColumnVector],
    val snapshots: SnapshotOfRow,
)
