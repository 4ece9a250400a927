package ducklake.files

import java.lang.ref.SoftReference
import java.util.LinkedHashMap as JavaMap

import org.apache.hadoop.conf.Configuration

import ducklake.catalog.model.DeleteFormat

/** What one read of a delete file is known by: delete files never change once written. */
final case class DeleteFileKey(path: String, sizeBytes: Long, format: DeleteFormat, snapshot: Long)

/** Delete positions read before by this JVM: a data file read in several tasks, or several times,
  * loads its delete file once. Bounded in files and given up when memory is short.
  */
object DeleteFileCache {

  private val maxFiles = 256

  private final class Entry {
    private var held: SoftReference[DeletedPositions] = new SoftReference(DeletedPositions.empty)
    private var isLoaded = false

    def positions(load: => DeletedPositions): DeletedPositions = synchronized {
      Option(held.get).filter(_ => isLoaded).getOrElse {
        val loaded = load
        held = new SoftReference(loaded)
        isLoaded = true
        loaded
      }
    }
  }

  private val entries = new JavaMap[DeleteFileKey, Entry](16, 0.75f, true) {
    override def removeEldestEntry(eldest: java.util.Map.Entry[DeleteFileKey, Entry]): Boolean =
      size > maxFiles
  }

  /** The positions of a delete file, read if this JVM does not hold them.
    *
    * Errors: as [[DeleteFileReader.read]]; a failure is not remembered.
    */
  def positions(key: DeleteFileKey, table: String, conf: Configuration): DeletedPositions = {
    val entry = entries.synchronized(entries.computeIfAbsent(key, _ => new Entry))
    entry.positions(DeleteFileReader.read(key.path, table, key.format, key.snapshot, conf))
  }
}
