package ducklake.spark.changes.plan

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeReceiver
import ducklake.catalog.listing.InlinedRowChanges
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.ChangeSide
import ducklake.spark.changes.FeedRequest
import ducklake.spark.changes.task.FeedTask
import ducklake.spark.changes.task.InlinedFeedTask
import ducklake.spark.changes.task.RowIdsBySnapshot
import ducklake.spark.errors.SparkErrors
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.vector.RowPages
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType

/** The inlined rows of a change feed, packed into pages while they are read. */
private[changes] final class InlinedFeed(request: FeedRequest) extends ChangeReceiver {
  private val data = request.data
  private val types: Vector[DataType] = data.map(_.sparkType) ++ Vector(LongType, LongType)
  private val sides = InlinedFeed.allSides.map(side => side -> new Side).toMap

  def begin(): Unit = sides.values.foreach(_.clear())

  def add(row: InlinedRowChanges): Unit = {
    if (request.wanted.contains(row.begin)) add(row, ChangeSide.Insertion, row.begin)
    row.ended.foreach(add(row, ChangeSide.Deletion, _))
  }

  /** The number of changes of the requested sides. */
  def size: Long = request.sides.map(sides(_).pages.size).sum

  /** The sides, each with the snapshots that changed the rows of one of its pages. */
  def changes: Vector[(ChangeSide, Vector[SnapshotRange])] =
    request.sides.flatMap(side => sides(side).snapshotsOfPages.map(side -> _))

  /** The row ids of the changes on each side, for a feed that must distinguish updates. */
  def rowIds: Map[ChangeSide, RowIdsBySnapshot] =
    sides.map { case (side, rows) => side -> rows.rowIds }

  /** A task for each page of a requested side.
    *
    * Errors: `InvalidValue` for a value that Spark's types cannot hold.
    */
  def tasks(pairs: FeedPairs): Vector[FeedTask] =
    for {
      side <- request.sides
      (page, by) <- sides(side).pages.all.zip(sides(side).snapshotsOfPages)
    } yield InlinedFeedTask(page, side, pairs.of(side, by))

  private def add(row: InlinedRowChanges, side: ChangeSide, by: SnapshotId): Unit =
    sides(side).add(row, by, isWanted = request.sides.contains(side) && !request.leftOut(by))

  private def cells(row: InlinedRowChanges, snapshot: Long): InternalRow = {
    val values = data.zip(row.values).map { case (ReadColumn.Data(column, sparkType), value) =>
      if (request.kind.hasNotNull && !column.nullsAllowed && value == Literal.Null)
        SparkErrors.raise(InlinedFeed.nullOf(column, snapshot))
      SparkValues.internal(value, column, sparkType)
    }
    new GenericInternalRow((values ++ Vector[Any](row.rowId, snapshot)).toArray)
  }

  /** The changes of one side. For one thread, because it runs for every row. */
  private final class Side {
    val pages = new RowPages(types)
    private var found = new RowIdsBySnapshot
    private var closed = Vector.empty[Vector[SnapshotRange]]
    private var open = Set.empty[SnapshotId]

    def rowIds: RowIdsBySnapshot = found

    def snapshotsOfPages: Vector[Vector[SnapshotRange]] =
      closed ++ Option.when(open.nonEmpty)(ranges(open))

    def clear(): Unit = {
      pages.clear()
      found = new RowIdsBySnapshot
      closed = Vector.empty
      open = Set.empty
    }

    def add(row: InlinedRowChanges, by: SnapshotId, isWanted: Boolean): Unit = {
      if (request.needsPairs) found.cursor.add(by.value, row.rowId)
      if (isWanted) {
        open += by
        if (pages.add(cells(row, by.value))) {
          closed :+= ranges(open)
          open = Set.empty
        }
      }
    }

    private def ranges(snapshots: Set[SnapshotId]): Vector[SnapshotRange] =
      snapshots.toVector.sortBy(_.value).map(SnapshotRange.of)
  }
}

private object InlinedFeed {

  /** A past row may be older than today's NOT NULL. */
  private def nullOf(column: Column, snapshot: Long): LakeError =
    LakeError.InvalidValue(
      column.name,
      "NULL",
      "NOT NULL",
      s"snapshot $snapshot inserted it before the column was NOT NULL; ALTER TABLE … ALTER COLUMN " +
        "… DROP NOT NULL makes its rows readable",
    )

  private val allSides: Vector[ChangeSide] = Vector(ChangeSide.Insertion, ChangeSide.Deletion)
}
