package ducklake.files.delete

import ducklake.catalog.cache.BoundedCache
import ducklake.catalog.model.DeleteFormat
import ducklake.files.io.FileFailure
import ducklake.files.store.CatalogFileSystem
import org.apache.hadoop.conf.Configuration

import java.util.concurrent.ConcurrentHashMap

/** A cache of delete files in this JVM, so that several reads of a data file, at any snapshots,
  * load its delete file once. The cached positions have a limit in bytes; the least recently used
  * file is removed first. A file whose positions alone exceed the limit is kept until the next file
  * comes.
  */
object DeleteFileCache {

  /** Limit of the positions of all files together. */
  val LimitBytes: Long = (Runtime.getRuntime.maxMemory / 16).min(256L * 1024 * 1024)

  /** Later than every snapshot. A commit that replaces live delete files keeps all of their
    * positions, not only the positions of the snapshot that it was planned on: DuckDB puts later
    * positions into a file with the begin snapshot of the file that it replaces (format 6.3).
    */
  val EverySnapshot: Long = Long.MaxValue

  private val shared = new DeleteFileCache(LimitBytes, DeleteFileReader.read)

  /** The key of a cached delete file. Delete files never change after they were written.
    *
    * @param dataRows of the data file, within which the positions are
    * @param access the reader's credentials: another catalog reads the file again, because it may
    *   have no permission
    */
  private final case class Key(
      path: String,
      sizeBytes: Long,
      format: DeleteFormat,
      dataRows: Long,
      access: CatalogFileSystem.Access,
  )

  /** The positions that any of the delete files of a data file names. Errors: like [[positions]].
    */
  def allPositions(
      files: Vector[StoredDeletes],
      snapshot: Long,
      table: String,
      conf: Configuration,
  ): DeletedPositions =
    files.foldLeft(DeletedPositions.empty) { (found, file) =>
      found.union(positions(file, snapshot, table, conf))
    }

  /** The positions of a delete file that are deleted at the snapshot, read from the file if they
    * are not cached.
    *
    * Errors: like [[DeleteFileReader.read]]; a failure is not cached.
    */
  def positions(
      file: StoredDeletes,
      snapshot: Long,
      table: String,
      conf: Configuration,
  ): DeletedPositions = shared.positions(file, snapshot, table, conf)
}

/** @param read reads a file that is not cached, for messages of a table
  */
private[delete] final class DeleteFileCache(
    limitBytes: Long,
    read: (StoredDeletes, String, Configuration) => DeletesOfFile,
) {
  private val cached = new BoundedCache[DeleteFileCache.Key, DeletesOfFile](limitBytes, _.bytes)

  /** Files that are being read, so that tasks which need the same file wait for one reading. */
  private val underWay = new ConcurrentHashMap[DeleteFileCache.Key, AnyRef]()

  def positions(
      file: StoredDeletes,
      snapshot: Long,
      table: String,
      conf: Configuration,
  ): DeletedPositions = {
    val access = CatalogFileSystem.access(conf)
    val key =
      DeleteFileCache.Key(file.path, file.sizeBytes, file.format, file.dataRows, access)
    val found = cached.find(key).getOrElse(readOnce(key, read(file, table, conf)))
    FileFailure.naming(file.path, table)(found.at(snapshot))
  }

  private def readOnce(key: DeleteFileCache.Key, read: => DeletesOfFile): DeletesOfFile = {
    val lock = underWay.computeIfAbsent(key, _ => new Object)
    lock.synchronized {
      try
        cached.find(key).getOrElse {
          val found = read
          cached.put(key, found)
          found
        }
      finally underWay.remove(key, lock): Unit
    }
  }
}
