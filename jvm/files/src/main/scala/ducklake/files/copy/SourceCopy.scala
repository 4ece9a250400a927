package ducklake.files.copy

import ducklake.files.copy.plan.CopyPlan
import ducklake.files.copy.plan.FileShape
import ducklake.files.copy.plan.LeafRole
import ducklake.files.copy.plan.LeafSource
import ducklake.files.copy.plan.NewLeaf
import ducklake.files.delete.DeletedPositions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader

/** Copies the row groups of one source. */
private[copy] final class SourceCopy(
    source: SourceReader,
    plan: CopyPlan,
    shape: FileShape,
    target: RowTarget,
    format: CopyFormat,
) {
  import SourceCopy.*

  private val leaves = plan.leaves.zip(plan.of(shape))

  private lazy val rowIds = RowNumbers.rowIds(source, shape.schema)
  private lazy val snapshots = RowNumbers.snapshots(source, shape.schema)

  // For one task and one thread. The arrays hold one slice of rows.
  private val numbers = new Array[Long](SliceRows)
  private val kept = new Array[Int](SliceRows)
  private var least = Long.MaxValue
  private var greatest = Long.MinValue

  /** The first and the last snapshot of the copied rows; None when the new file does not embed
    * them.
    */
  def span: Option[(Long, Long)] = Option.when(least <= greatest)((least, greatest))

  /** Whether a row group is copied unchanged: it has at least a quarter of the rows or bytes of a
    * new row group, not many more rows, and a column whose pages can be copied.
    */
  def isLarge(group: Int): Boolean = {
    val block = source.groups(group)
    val isEnough = block.getRowCount * 4 >= format.rowGroupRows ||
      block.getTotalByteSize * 4 >= format.rowGroupBytes
    isEnough && block.getRowCount <= format.rowGroupRows * 2L &&
    leaves.exists { case (_, from) => from.exists(mayAppend(group, _)) }
  }

  private def mayAppend(group: Int, from: LeafSource): Boolean =
    ChunkCopy.isPossible(source, source.chunk(group, from.descriptor), from, format.codec)

  /** Copies a row group without deleted rows to a separate row group: chunks unchanged where
    * possible, other leaves value by value.
    *
    * @param first the position of the group's first row
    */
  def wholeGroup(groups: NewRowGroups, group: Int, first: Long): Unit = {
    val rows = source.groups(group).getRowCount
    groups.append(rows) { number =>
      leaves(number) match {
        case (leaf, Some(from)) if mayAppend(group, from) =>
          groups.appendChunk(source, group, from, leaf, plan.lakeTypes(leaf.path))
          None
        case (leaf, from) =>
          val encoded = groups.encoded(leaf)
          val column = from.map(_.descriptor).orElse(numbersOf(leaf.role).flatMap(_.column))
          source.decoded(group, column.toVector) { readers =>
            source.named {
              slices(group, rows) { (done, count) =>
                fill(leaf, from, encoded, readers.headOption, first + done, count, count, null)
              }
            }
          }
          Some(encoded)
      }
    }
  }

  /** Copies the live rows of a row group value by value. */
  def rowsOf(rows: LiveGroup): Unit = {
    val LiveGroup(group, first, _, visible, deletes) = rows
    val columns = leaves.map { case (leaf, from) =>
      from.map(_.descriptor).orElse(numbersOf(leaf.role).flatMap(_.column))
    }
    source.decoded(group, columns.flatten) { readers =>
      val each = readersOf(columns, readers)
      slices(group, visible) { (done, count) =>
        val live = alive(first + done, count, deletes)
        val copied = if (live == null) count else live.count(identity)
        target.add(copied) { encoded =>
          source.named {
            leaves.indices.foreach { at =>
              val (leaf, from) = leaves(at)
              fill(leaf, from, encoded(at), each(at), first + done, count, copied, live)
            }
          }
        }
      }
    }
  }

  /** The reader of each column that is read. */
  private def readersOf(
      columns: Vector[Option[ColumnDescriptor]],
      readers: Vector[ColumnReader],
  ): Vector[Option[ColumnReader]] = {
    val next = readers.iterator
    columns.map(_.map(_ => next.next()))
  }

  /** Runs `body` for each slice of rows, with the number of rows before the slice and in the slice.
    * Large rows make small slices.
    */
  private def slices(group: Int, rows: Long)(body: (Long, Int) => Unit): Unit = {
    val block = source.groups(group)
    val rowBytes = math.max(1L, block.getTotalByteSize / math.max(1L, block.getRowCount))
    val most = math.max(1L, math.min(SliceRows.toLong, format.rowGroupBytes / 16 / rowBytes))
    var done = 0L
    while (done < rows) {
      val count = math.min(math.min(most, rows - done), target.room.toLong).toInt
      body(done, count)
      done += count
    }
  }

  /** Which of the next rows are live; null when all are. */
  private def alive(first: Long, count: Int, deletes: DeletedPositions): Array[Boolean] =
    if (deletes.countIn(first, count.toLong) == 0) null
    else {
      val live = new Array[Boolean](count)
      val size = deletes.keep(first, count, kept)
      var at = 0
      while (at < size) {
        live(kept(at)) = true
        at += 1
      }
      live
    }

  private def fill(
      leaf: NewLeaf,
      from: Option[LeafSource],
      to: LeafValueWriter,
      reader: Option[ColumnReader],
      first: Long,
      count: Int,
      copied: Int,
      live: Array[Boolean],
  ): Unit =
    (from, numbersOf(leaf.role)) match {
      case (Some(stored), _) => reader.foreach(to.copy(_, stored, count, live))
      case (None, None) => to.addConstant(copied, leaf.absent)
      case (None, Some(which)) =>
        RowNumbers.read(which, reader, first, count, numbers)
        var row = 0
        while (row < count) {
          if (live == null || live(row)) {
            if (leaf.role == LeafRole.Snapshot) seen(numbers(row))
            to.add(numbers(row))
          }
          row += 1
        }
    }

  private def seen(snapshot: Long): Unit = {
    least = math.min(least, snapshot)
    greatest = math.max(greatest, snapshot)
  }

  private def numbersOf(role: LeafRole): Option[RowNumbers] =
    role match {
      case LeafRole.Values => None
      case LeafRole.RowId => Some(rowIds)
      case LeafRole.Snapshot => Some(snapshots)
    }
}

private[copy] object SourceCopy {

  /** The first and the last snapshot of several spans. */
  def union(spans: Seq[(Long, Long)]): Option[(Long, Long)] =
    spans.reduceOption((a, b) => (math.min(a._1, b._1), math.max(a._2, b._2)))

  /** The most rows that are copied in a column before the next column. */
  private val SliceRows = 4096
}
