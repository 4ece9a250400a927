package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.TableId

/** What was found about tables that have too many files for an index.
  *
  * @param newest the newest snapshot at that moment
  */
final class TableFiles {
  import TableFiles.*

  private val counts = new BoundedCache[CountKey, FileCount](MostTables, _ => 1L)
  private val gaps = new BoundedCache[GapKey, StatisticsGaps](MostGaps, _.weight)

  /** The number of a table's files at a snapshot. */
  def count(lake: LakeIdentity, table: TableId, at: Snapshot, newest: Snapshot)(
      read: => FileCount
  ): FileCount = {
    val key = CountKey(lake, table, at, newest)
    counts.find(key).getOrElse {
      val found = read
      counts.put(key, found)
      found
    }
  }

  def gapsOf(lake: LakeIdentity, table: TableId, column: ColumnId): Option[StatisticsGaps] =
    gaps.find(GapKey(lake, table, column))

  def keep(lake: LakeIdentity, table: TableId, column: ColumnId, found: StatisticsGaps): Unit =
    gaps.put(GapKey(lake, table, column), found)

  def clear(): Unit = {
    counts.removeIf(_ => true)
    gaps.removeIf(_ => true)
  }
}

object TableFiles {
  private val MostTables = 1000L

  /** The largest number of ids that are kept. */
  private val MostGaps = 1000000L

  private final case class CountKey(
      lake: LakeIdentity,
      table: TableId,
      at: Snapshot,
      newest: Snapshot,
  )

  private final case class GapKey(lake: LakeIdentity, table: TableId, column: ColumnId)
}

/** The number of files, and their bytes. */
final case class FileCount(files: Long, bytes: Long)

/** The files without a row of statistics of a column. A commit adds files and their statistics
  * together, so files that were known stay as they are.
  *
  * @param until files that were added up to this snapshot are known
  * @param files their ids; None when there are too many of them
  */
final case class StatisticsGaps(until: Snapshot, files: Option[Vector[Long]]) {
  def weight: Long = 10L + files.fold(0L)(_.size.toLong)
}
