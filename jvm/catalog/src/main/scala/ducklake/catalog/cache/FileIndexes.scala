package ducklake.catalog.cache

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId

import java.util.concurrent.ConcurrentHashMap

/** The cached file indexes of a lake.
  *
  * @param all the cache with the indexes of all lakes, limited in bytes
  */
final class FileIndexes(all: BoundedCache[(AnyRef, FileIndexes.Key), FileIndex]) {
  import FileIndexes.Key

  private val indexes = new LakeScopedCache(all)
  private val newest = new ConcurrentHashMap[(LakeIdentity, TableId), SnapshotId]()

  /** The index of a table at a snapshot, else the newest cached index if it is of an older
    * snapshot.
    */
  def nearest(lake: LakeIdentity, table: TableId, at: SnapshotId): Option[FileIndex] =
    indexes.find(Key(lake, table, at)).orElse {
      Option(newest.get((lake, table)))
        .filter(_.value < at.value)
        .flatMap(known => indexes.find(Key(lake, table, known)))
    }

  /** Adds an index. When it is newer than the newest cached index of the table, it replaces that
    * index.
    */
  def keep(lake: LakeIdentity, table: TableId, index: FileIndex): Unit = {
    indexes.put(Key(lake, table, index.at.id), index)
    val before = Option(newest.get((lake, table)))
    if (before.forall(_.value < index.at.id.value)) {
      newest.put((lake, table), index.at.id): Unit
      before.foreach(old => indexes.remove(Key(lake, table, old)))
    }
  }

  def drop(lake: LakeIdentity, table: TableId, at: SnapshotId): Unit =
    indexes.remove(Key(lake, table, at))

  def clear(): Unit = {
    newest.clear()
    indexes.clear()
  }
}

object FileIndexes {

  /** Limit of all indexes of this process together, in bytes. */
  val LimitBytes: Long = (Runtime.getRuntime.maxMemory / 4).min(512L * 1024 * 1024)

  /** The cache of all lakes of this process. */
  val ofProcess: BoundedCache[(AnyRef, Key), FileIndex] = limited(LimitBytes)

  def limited(bytes: Long): BoundedCache[(AnyRef, Key), FileIndex] =
    new BoundedCache(bytes, _.weight)

  final case class Key(lake: LakeIdentity, table: TableId, at: SnapshotId)
}
