package ducklake.spark.streaming

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.RowSlice
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.ChangeFeed
import ducklake.spark.changes.FeedKind
import ducklake.spark.changes.task.DeletingSnapshots
import ducklake.spark.read.DuckLakeScan
import ducklake.spark.read.ReadColumns
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.streaming.columns.StreamChoice
import org.apache.spark.sql.connector.read.Batch

/** The rows of a stream, and the batches that read them. Source: decision 20. */
private[streaming] sealed trait StreamedRows {

  /** The table with the columns of the stream. */
  def at: TableAtSnapshot

  def kind: FeedKind

  /** How many columns the batches have. */
  def width: Int

  /** Less of the rows and columns. */
  def only(choice: StreamChoice): StreamedRows

  /** For progress and plans. */
  def name: String

  /** The first batch, for a stream that begins with a snapshot as a whole. */
  def whole(snapshot: LakeSnapshot): Batch

  /** The rows of a range of snapshots, which is not empty.
    *
    * @param end the last snapshot of the range
    */
  def between(range: SnapshotRange, end: LakeSnapshot): Batch

  /** How the rows of one snapshot are divided; None when they must be read as a whole. */
  def divided: Option[DividedRows]
}

/** The rows of a table at a snapshot, in several batches. */
private[streaming] trait DividedRows {

  /** Whether a snapshot after the first batch may be divided: it did nothing to rows but add some. */
  def mayDivide(snapshot: LakeSnapshot): Boolean

  /** The place where a batch ends; None when all rows of the snapshot that are left fit. */
  def end(snapshot: LakeSnapshot, from: RowPlace, limit: AdmissionLimit): Option[RowPlace]

  /** The rows of a slice.
    *
    * @param before snapshots after the last one that was read, up to this one
    */
  def slice(snapshot: LakeSnapshot, wanted: RowSlice, before: Option[SnapshotRange]): Batch
}

private[streaming] object StreamedRows {

  /** The rows of a table at the snapshot with which the stream begins, then rows inserted since. */
  final class OfTable(
      val at: TableAtSnapshot,
      changed: ChangedRowsRule,
      table: FollowedTable,
      choice: StreamChoice = StreamChoice.all,
  ) extends StreamedRows
      with DividedRows {

    def kind: FeedKind = FeedKind.Appends

    def name: String = at.name

    def width: Int = ReadColumns.all(at).length

    def only(choice: StreamChoice): StreamedRows = new OfTable(at, changed, table, choice)

    def whole(snapshot: LakeSnapshot): Batch = {
      val past = new TableAtSnapshot(at.session, snapshot, at.table, isPast = true)
      new HiddenColumnsRefusal(DuckLakeScan.whole(past, choice.columns.of, choice.filters), name)
    }

    def between(range: SnapshotRange, end: LakeSnapshot): Batch =
      new HiddenColumnsRefusal(feed(this, range, leftOut(range, end), choice), name)

    /** Errors: StreamCannotContinue. */
    private def leftOut(range: SnapshotRange, end: LakeSnapshot): Set[SnapshotId] = {
      val changing = deleting(range, end)
      changed match {
        case ChangedRowsRule.Skipped => ()
        case ChangedRowsRule.Refused =>
          changing.minByOption(_.value).foreach(refuse(_, range.first))
      }
      changing
    }

    def divided: Option[DividedRows] = Some(this)

    def mayDivide(snapshot: LakeSnapshot): Boolean =
      snapshot.entries(at.table, snapshot.snapshot.id).forall(_.keepsRows)

    def end(snapshot: LakeSnapshot, from: RowPlace, limit: AdmissionLimit): Option[RowPlace] = {
      val past = new TableAtSnapshot(at.session, snapshot, at.table, isPast = true)
      new SnapshotDivision(past, () => replaced(snapshot)).end(from, limit)
    }

    def slice(
        snapshot: LakeSnapshot,
        wanted: RowSlice,
        before: Option[SnapshotRange],
    ): Batch = {
      before.foreach(leftOut(_, snapshot))
      whole(snapshot.seenThrough(new SliceOverlay(wanted, () => replaced(snapshot))))
    }

    private def replaced(snapshot: LakeSnapshot): Nothing =
      table.fail(
        s"it has read a part of snapshot ${snapshot.snapshot.id.value}, and a compaction has " +
          "replaced files of this part",
        "Start a new stream, with another checkpoint, and compact the table when the stream has " +
          "read the snapshot.",
      )

    private def deleting(range: SnapshotRange, end: LakeSnapshot): Set[SnapshotId] = {
      val (certain, others) =
        end.entries(at.table, range.first).filter(_.mayDeleteRows).partition(_.deletesRows)
      val last = new TableAtSnapshot(at.session, end, at.table, isPast = true)
      certain.map(_.snapshot).toSet ++
        DeletingSnapshots.among(others.map(_.snapshot).toSet, last, range.first)
    }

    /** @param next the first snapshot that was not read */
    private def refuse(snapshot: SnapshotId, next: SnapshotId): Nothing =
      table.fail(
        s"snapshot ${snapshot.value} deletes or updates rows, and a stream of a table has only " +
          "the rows that are inserted",
        s"Read a stream of `${at.name}.changes`, from `start-snapshot` ${next.value} on, or " +
          "start this one again with the option `skip-changes`, which leaves out such snapshots.",
      )
  }

  private def feed(
      rows: StreamedRows,
      range: SnapshotRange,
      leftOut: Set[SnapshotId],
      choice: StreamChoice,
  ): Batch =
    ChangeFeed.batch(rows.at, rows.kind, range, leftOut, choice.columns.of, choice.filters)

  /** The rows of a change feed, from the snapshot after the first snapshot of the stream on. */
  final class OfFeed(
      val at: TableAtSnapshot,
      val kind: FeedKind,
      choice: StreamChoice = StreamChoice.all,
  ) extends StreamedRows {

    def name: String = s"${at.name}.${kind.tableName}"

    def whole(snapshot: LakeSnapshot): Batch = {
      val id = snapshot.snapshot.id
      between(SnapshotRange(SnapshotId(id.value + 1), id), snapshot)
    }

    def between(range: SnapshotRange, end: LakeSnapshot): Batch =
      feed(this, range, Set.empty, choice)

    def width: Int = ChangeFeed.columns(at, kind).length

    def only(choice: StreamChoice): StreamedRows = new OfFeed(at, kind, choice)

    /** The two images of an update belong to one batch. */
    def divided: Option[DividedRows] = None
  }
}
