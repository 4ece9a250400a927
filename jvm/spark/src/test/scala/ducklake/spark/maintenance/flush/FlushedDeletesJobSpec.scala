package ducklake.spark.maintenance.flush

import ducklake.catalog.change.operation.SnapshotDeleteFile
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.files.delete.DeleteFileReader
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.NewDeletes
import ducklake.files.delete.SnapshotPositions
import ducklake.files.delete.StoredDeletes
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.spark.testkit.LocalSpark
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.WrittenRows
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

/** Inlined deletes of few and of many data files become delete files. */
final class FlushedDeletesJobSpec extends AnyFunSuite with LocalSpark {

  private val conf = new Configuration(false)
  private val rows = new WrittenRows(Vector(column(1, "id", LakeType.Int64)))
  private val spec = {
    val (directory, config) = (rows.spec.directory, rows.spec.config)
    FlushSpec("main.t", directory, directory, Vector.empty, Vector.empty, Vector.empty, config)
  }

  /** A delete file that snapshot 3 began, with position 5. */
  private def past(): (StoredDeletes, Long) = {
    val path = spec.hadoopDirectory + FileNames.deleteFile()
    val target = NewDeletes(path, "/data/f.parquet", "main.t", isEncrypted = false)
    val written =
      DeleteFileWriter.writeWithSnapshots(target, SnapshotPositions(Seq(5L -> 3L)), conf)
    (StoredDeletes(path, DeleteFormat.ParquetPositions, written.sizeBytes, 1L, 1000L), 3L)
  }

  private def deletes(number: Int): DeletesToFlush =
    DeletesToFlush(
      DataFileId(number.toLong),
      s"/data/$number.parquet",
      Array(number.toLong + 10),
      Array(4L),
      Vector(past()),
      AttemptNames.next(FileNames.deleteFile()),
    )

  private def read(file: SnapshotDeleteFile): Seq[(Long, Long)] = {
    val path = spec.hadoopDirectory + file.path
    val (format, size) = (DeleteFormat.ParquetPositions, file.physical.sizeBytes)
    val stored = StoredDeletes(path, format, size, file.deleteCount, dataRows = 1000L)
    val found = DeleteFileReader.readWithSnapshots(stored, "main.t", 1L, conf)
    (0 until found.size).map(at => (found.positionAt(at), found.snapshotAt(at)))
  }

  for ((files, byTasks) <- Seq(8 -> false, 100 -> true))
    test(s"the deletes of $files files, ${if (byTasks) "by tasks" else "by the driver"}") {
      val all = (0 until files).map(deletes).toVector
      var written = Map.empty[DataFileId, SnapshotDeleteFile]

      val tasks = tasksOf { written = FlushedDeletesJob.write(spec, all, conf) }

      assert((tasks > 1) == byTasks && (byTasks || tasks == 0))
      assert(written.size == files)
      all.foreach { each =>
        val file = written(each.file)
        assert(each.names.known.contains(file.path) && file.deleteCount == 2L)
        assert(read(file) == Seq(5L -> 3L, each.file.value + 10 -> 4L))
      }
    }
}
