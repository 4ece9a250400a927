package ducklake.spark.maintenance.rollback

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.DataFileId
import ducklake.files.io.FileCopier
import ducklake.files.io.Storage
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.job.LakeJob
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** A file to copy.
  *
  * @param path in Hadoop's form
  * @param folder of the copy below the table's directory, ending in a separator unless it is empty
  */
private[rollback] final case class CopySource(
    file: DataFileId,
    path: String,
    sizeBytes: Long,
    folder: String,
)

private[rollback] object CopySource {

  /** The copy is in the folder of its source, because DuckDB merges only files of one folder. */
  def of(file: DataFile, table: LakeTable): CopySource = {
    val folder =
      if (file.path.startsWith(table.directory)) {
        val relative = file.path.drop(table.directory.length)
        relative.take(relative.lastIndexOf('/') + 1)
      } else ""
    CopySource(file.id, PathResolver.hadoopPath(file.path), file.sizeBytes, folder)
  }
}

/** @param path relative to the table's directory */
private[rollback] final case class CopiedFile(source: DataFileId, path: String)

/** Copies data files in Spark tasks. */
private[rollback] object CopyJob {

  /** @param sources at least one
    * @param taken gets the copies of each task that succeeded, also when others fail
    *
    * Errors: StatementInterrupted; errors of tasks are Spark's exceptions, with our error as their
    * cause.
    */
  def run(
      lake: SessionLake,
      table: LakeTable,
      sources: Vector[CopySource],
      taken: Vector[CopiedFile] => Unit,
  ): Unit = {
    val session = SparkSession.active
    val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
    val name = table.qualifiedName
    val directory = PathResolver.hadoopPath(table.directory)
    val description = s"Copying files of $name: ${sources.size} files"
    val job = new LakeJob(session.sparkContext, description, "copied files", conf)
    job.write(job.divided(sources, 1), taken) { (files, settings) =>
      files.map(copyOne(_, directory, name, settings)).toVector
    }
  }

  private def copyOne(
      source: CopySource,
      directory: String,
      table: String,
      conf: Configuration,
  ): CopiedFile = {
    val path = source.folder + FileNames.dataFile()
    val target = directory + path
    TaskAttempt.onLoss(Storage.discard(Vector(target), conf))
    FileCopier.copy(source.path, target, source.sizeBytes, table, conf)
    CopiedFile(source.file, path)
  }
}
