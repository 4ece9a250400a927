package ducklake.catalog.cache

import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.TableId

import java.util.concurrent.ConcurrentHashMap

/** The indexes that are kept, up to a number of bytes; the one used longest ago goes first. */
final class FileIndexes(limitBytes: Long) {
  import FileIndexes.Key

  private val indexes = new BoundedCache[Key, FileIndex](limitBytes, _.weight)
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
}

private object FileIndexes {
  private final case class Key(lake: LakeIdentity, table: TableId, at: SnapshotId)
}
