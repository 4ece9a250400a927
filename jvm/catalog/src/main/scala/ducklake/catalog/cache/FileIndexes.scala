package ducklake.catalog.cache

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId

import java.util.concurrent.ConcurrentHashMap

/** The indexes that are kept of a lake.
  *
  * @param all those of all lakes, up to a number of bytes; the one used longest ago goes first
  */
final class FileIndexes(all: BoundedCache[(AnyRef, FileIndexes.Key), FileIndex]) {
  import FileIndexes.Key

  private val indexes = new LakeScopedCache(all)
  private val newest = new ConcurrentHashMap[(LakeIdentity, TableId), SnapshotId]()

  /** The index of a table at a snapshot; else the newest that is kept of an older one. */
  def nearest(lake: LakeIdentity, table: TableId, at: SnapshotId): Option[FileIndex] =
    indexes.find(Key(lake, table, at)).orElse {
      Option(newest.get((lake, table)))
        .filter(_.value < at.value)
        .flatMap(known => indexes.find(Key(lake, table, known)))
    }

  /** Keeps an index; of the newest snapshots only the last one. */
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

  /** Bytes that all indexes of this process may take together. */
  val LimitBytes: Long = (Runtime.getRuntime.maxMemory / 4).min(512L * 1024 * 1024)

  /** Those of all lakes of this process. */
  val ofProcess: BoundedCache[(AnyRef, Key), FileIndex] = limited(LimitBytes)

  def limited(bytes: Long): BoundedCache[(AnyRef, Key), FileIndex] =
    new BoundedCache(bytes, _.weight)

  final case class Key(lake: LakeIdentity, table: TableId, at: SnapshotId)
}
