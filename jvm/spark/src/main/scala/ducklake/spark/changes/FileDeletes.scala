package ducklake.spark.changes

import ducklake.files.DeleteFileReader
import ducklake.files.SnapshotPositions
import ducklake.spark.read.SharedReads
import org.apache.hadoop.conf.Configuration

/** The positions that the delete files of a data file name. The tasks of an executor share it, and
  * those that need it at the same time read the delete files together.
  *
  * @param first the file as the first of these tasks has it
  */
private[changes] final class FileDeletes private (first: ChangedFile) {

  private val pieces =
    new SharedReads[Int, SnapshotPositions](Long.MaxValue)(FileDeletes.sizeOf)

  @volatile private var whole: Option[SnapshotPositions] = None

  private def positions(conf: Configuration): SnapshotPositions =
    whole.getOrElse {
      val found = pieces.all(first.deleteFiles.indices.toVector)(read(_, conf))
      synchronized {
        whole.getOrElse {
          val union = SnapshotPositions.union(found)
          whole = Some(union)
          pieces.clear()
          union
        }
      }
    }

  private def read(index: Int, conf: Configuration): SnapshotPositions = {
    val delete = first.deleteFiles(index)
    DeleteFileReader.readWithSnapshots(delete.file, first.part.table, delete.begin, conf)
  }

  /** The size of the union at least; delete files mostly repeat the positions of older ones. */
  private def sizeBytes: Long =
    FileDeletes.PositionBytes * first.deleteFiles.map(_.file.rows).maxOption.getOrElse(0L)
}

private[changes] object FileDeletes {

  /** A position and its snapshot. */
  private val PositionBytes = 16L

  private val shared =
    new SharedReads[(String, Long), FileDeletes](SharedReads.ShareOfMemory)(_.sizeBytes)

  /** The deleted positions of the file. The parts of a file share them, but not two data files with
    * one path, as DuckDB makes them when it registers a file twice.
    *
    * @param scan differs for each scan
    */
  def of(scan: String, file: ChangedFile, conf: Configuration): SnapshotPositions = {
    val inlined = SnapshotPositions(file.inlined.toVector.zip(file.inlinedSnapshots))
    if (file.deleteFiles.isEmpty) inlined
    else {
      val deletes = shared((scan, file.part.id))(_ => new FileDeletes(file))
      inlined.union(deletes.positions(conf))
    }
  }

  private def sizeOf(positions: SnapshotPositions): Long = PositionBytes * positions.size
}
