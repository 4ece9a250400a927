package ducklake.catalog.cache

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** The cached file indexes of a lake: for each table the index of the newest snapshot that was
  * read, and indexes of past snapshots.
  *
  * @param all the cache with the indexes of all lakes, limited in bytes
  */
final class FileIndexes(all: BoundedCache[(AnyRef, FileIndexes.Key), FileIndex]) {
  import FileIndexes.Key

  private val indexes = new LakeScopedCache(all)

  /** The index of a table at a snapshot, else the newest cached index if it is of an older
    * snapshot.
    */
  def nearest(lake: LakeIdentity, table: TableId, at: SnapshotId): Option[FileIndex] =
    newest(lake, table)
      .filter(_.at.id == at)
      .orElse(indexes.find(Key.Past(lake, table, at)))
      .orElse(newest(lake, table).filter(_.at.id.value < at.value))

  /** Adds an index. When it is newer than the newest cached index of the table, it replaces that
    * index. An index that is heavier than the limit is kept without columns that were not used for
    * longest.
    *
    * @param used the columns that a statement uses now
    */
  def keep(lake: LakeIdentity, table: TableId, index: FileIndex, used: Set[ColumnId]): Unit = {
    val isPast = newest(lake, table).exists(_.at.id.value > index.at.id.value)
    val key = if (isPast) Key.Past(lake, table, index.at.id) else Key.Newest(lake, table)
    indexes.put(key, index.using(used).within(all.limit, used))
  }

  def clear(): Unit = indexes.clear()

  private def newest(lake: LakeIdentity, table: TableId): Option[FileIndex] =
    indexes.find(Key.Newest(lake, table))
}

object FileIndexes {

  /** Limit of all indexes of this process together, in bytes. */
  val LimitBytes: Long = (Runtime.getRuntime.maxMemory / 4).min(512L * 1024 * 1024)

  /** The cache of all lakes of this process. */
  val ofProcess: BoundedCache[(AnyRef, Key), FileIndex] = limited(LimitBytes)

  def limited(bytes: Long): BoundedCache[(AnyRef, Key), FileIndex] =
    new BoundedCache(bytes, _.weight)

  sealed trait Key

  private object Key {
    final case class Newest(lake: LakeIdentity, table: TableId) extends Key
    final case class Past(lake: LakeIdentity, table: TableId, at: SnapshotId) extends Key
  }
}
