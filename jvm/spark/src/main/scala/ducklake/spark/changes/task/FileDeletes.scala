package ducklake.spark.changes.task

import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.types.SnapshotId
import ducklake.files.delete.DeleteFileReader
import ducklake.files.delete.SnapshotPositions
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.read.SharedReads
import ducklake.spark.session.TableAtSnapshot
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

import java.util.UUID

/** The positions that the delete files of a data file name. The tasks of an executor share this
  * object, and tasks that need it at the same time read the delete files together.
  *
  * @param first the file of the first of these tasks
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

  /** A lower bound of the size of the union; delete files mostly repeat the positions of older
    * delete files.
    */
  private def sizeBytes: Long =
    FileDeletes.PositionBytes * first.deleteFiles.map(_.file.rows).maxOption.getOrElse(0L)
}

private[changes] object FileDeletes {

  /** A position and its snapshot. */
  private val PositionBytes = 16L

  private val shared =
    new SharedReads[(String, Long), FileDeletes](SharedReads.ShareOfMemory)(_.sizeBytes)

  /** The deleted positions of the file. The parts of a file share them. Two data files with one
    * path do not; DuckDB makes these when it registers a file twice.
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

/** Finds the snapshots that deleted rows of data files. The catalog does not always record them: a
  * flush also writes delete files, for rows that were deleted before.
  */
private[spark] object DeletingSnapshots {

  /** The snapshots among `asked` that deleted rows of files. Delete files are read on the driver
    * when the catalog does not decide it.
    *
    * @param at the table at the last of these snapshots or later
    * @param from the first of these snapshots or earlier
    */
  def among(asked: Set[SnapshotId], at: TableAtSnapshot, from: SnapshotId): Set[SnapshotId] =
    if (asked.isEmpty) asked
    else {
      val files = at.snapshot.changes(at.table, ChangeRequest(from, inlined = None)).files
      val known = files.flatMap(inCatalog).filter(asked).toSet
      val open = asked -- known
      val unclear =
        files.filter(_.deleteFiles.exists(dated => open.exists(dated.snapshots.contains)))
      known ++ inFiles(unclear, at).filter(open)
    }

  /** A delete file begins at the snapshot of its first delete. */
  private def inCatalog(changes: DataFileChanges): Vector[SnapshotId] =
    changes.ended.toVector ++ changes.deleteFiles.map(_.file.begin) ++
      changes.inlinedDeletes.map(_._2)

  private def inFiles(files: Vector[DataFileChanges], at: TableAtSnapshot): Set[SnapshotId] = {
    lazy val conf = ReadHadoopConf.onDriver(SparkSession.active, at.session.config.hadoop)
    val histories = new FileHistories(at.table.qualifiedName)
    val scan = UUID.randomUUID().toString
    val found = Set.newBuilder[SnapshotId]
    files.foreach { file =>
      FileDeletes.of(scan, histories.whole(file), conf).foreach { (_, snapshot) =>
        found += SnapshotId(snapshot): Unit
      }
    }
    found.result()
  }
}
