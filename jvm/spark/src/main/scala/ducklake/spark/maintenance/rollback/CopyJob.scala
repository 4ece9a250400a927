package ducklake.spark.maintenance.rollback

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.DataFileId
import ducklake.files.io.FileCopier
import ducklake.files.io.Storage
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.job.AwaitedJob
import ducklake.spark.job.Broadcasts
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.task.TaskAttempt
import ducklake.spark.sparkapi.task.TaskHadoopConf
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
  def of(file: DataFile, table: LakeTable, paths: PathResolver): CopySource = {
    val folder =
      if (file.path.startsWith(table.directory)) {
        val relative = file.path.drop(table.directory.length)
        relative.take(relative.lastIndexOf('/') + 1)
      } else ""
    CopySource(file.id, paths.hadoopPath(file.path), file.sizeBytes, folder)
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
    val conf = WriteHadoopConf.broadcast(session, lake.config.hadoop)
    val name = table.qualifiedName
    val directory = PathResolver(None).hadoopPath(table.directory)
    val copy = (files: Iterator[CopySource]) =>
      inTask {
        val copied = files.map(copyOne(_, directory, name, conf.value)).toVector
        TaskAttempt.claim()
        copied
      }
    val slices = math.min(sources.size, session.sparkContext.defaultParallelism * SlicesPerCore)
    val distributed = session.sparkContext.parallelize(sources, slices)
    val take = (_: Int, files: Vector[CopiedFile]) => taken(files)
    val job = s"Copying files of $name: ${sources.size} files"
    try
      AwaitedJob.run(session.sparkContext, job, "copied files") {
        session.sparkContext.submitJob(distributed, copy, 0 until slices, take, ())
      }
    finally Broadcasts.remove(conf)
  }

  private def copyOne(
      source: CopySource,
      directory: String,
      table: String,
      conf: TaskHadoopConf,
  ): CopiedFile = {
    val path = source.folder + FileNames.dataFile()
    val target = directory + path
    TaskAttempt.onLoss(Storage.discard(Vector(target), conf.value))
    FileCopier.copy(source.path, target, source.sizeBytes, table, conf.value)
    CopiedFile(source.file, path)
  }

  /** More slices than cores, so that a core with large files does not delay the other files of its
    * share.
    */
  private val SlicesPerCore = 4
}
