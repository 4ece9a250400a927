package ducklake.files

import ducklake.catalog.model.DeleteFormat
import org.apache.hadoop.conf.Configuration

import java.lang.ref.SoftReference
import java.util.LinkedHashMap as JavaMap

/** A cache of deleted positions in this JVM, so that several reads of a data file load its delete
  * file once. The number of files is limited, and the positions are softly referenced, so that they
  * are freed when memory is short.
  */
object DeleteFileCache {

  /** What is cached. Delete files never change after they were written. */
  private final case class Kept(path: String, sizeBytes: Long, format: DeleteFormat, snapshot: Long)

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

  private val entries = new JavaMap[Kept, Entry](16, 0.75f, true) {
    override def removeEldestEntry(eldest: java.util.Map.Entry[Kept, Entry]): Boolean =
      size > maxFiles
  }

  /** The positions that any of the delete files of a data file names. Errors: as [[positions]]. */
  def allPositions(
      files: Vector[StoredDeletes],
      snapshot: Long,
      table: String,
      conf: Configuration,
  ): DeletedPositions =
    files.foldLeft(DeletedPositions.empty) { (found, file) =>
      found.union(positions(file, snapshot, table, conf))
    }

  /** The positions of a delete file that are deleted at the snapshot, read from the file if they are
    * not cached.
    *
    * Errors: as [[DeleteFileReader.read]]; a failure is not cached.
    */
  def positions(
      file: StoredDeletes,
      snapshot: Long,
      table: String,
      conf: Configuration,
  ): DeletedPositions = {
    val kept = Kept(file.path, file.sizeBytes, file.format, snapshot)
    val entry = entries.synchronized(entries.computeIfAbsent(kept, _ => new Entry))
    entry.positions(DeleteFileReader.read(file, table, snapshot, conf))
  }
}
