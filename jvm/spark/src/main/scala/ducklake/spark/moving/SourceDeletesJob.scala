package ducklake.spark.moving

import ducklake.catalog.change.operation.RegisteredDeletes
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.NewDeletes
import ducklake.files.io.Storage
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.job.DiscardJob
import ducklake.spark.job.LakeJob
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** A data file with deletes.
  *
  * @param number by which the result names it
  * @param dataFile the file whose rows the positions count, as the lake has it
  * @param recordCount of the file
  * @param names of its new delete file
  */
private[moving] final case class DeletedFile(
    number: Int,
    file: SourceFile,
    dataFile: String,
    recordCount: Long,
    names: AttemptNames,
)

/** The deletes of a data file as one delete file of the lake. */
private[moving] sealed trait MovedDeletes {
  def number: Int
}

private[moving] object MovedDeletes {

  /** None of the deletes is about the file. */
  final case class Nothing(number: Int) extends MovedDeletes

  /** All rows are deleted. */
  final case class Everything(number: Int) extends MovedDeletes
  final case class Some(number: Int, deletes: RegisteredDeletes) extends MovedDeletes
}

/** Writes a delete file for each data file with deletes, in tasks.
  *
  * @param directory the new table's directory in DuckDB's spelling, ending in a separator
  * @param table its name, for messages
  */
private[moving] final class SourceDeletesJob(
    directory: String,
    table: String,
    conf: Configuration,
) {

  private val folder = PathResolver.hadoopPath(directory)

  /** The result for each file. After an error all delete files are removed.
    *
    * Errors: UnwritableFile, UnreadableFile; StatementInterrupted; errors of tasks are Spark's
    * exceptions, with our error as their cause.
    */
  def run(files: Vector[DeletedFile]): Vector[MovedDeletes] =
    if (files.isEmpty) Vector.empty
    else {
      var done = Vector.empty[MovedDeletes]
      try {
        val (target, name) = (folder, table)
        val context = SparkSession.active.sparkContext
        val description = s"Writing delete files of $name: ${files.size} files"
        val job = new LakeJob(context, description, "wrote delete files", conf)
        val neighbours = files.sortBy(_.file.deletes.flatMap(SourceDeletesJob.pathOf).mkString(" "))
        job.write(job.divided(neighbours, 1), (more: Vector[MovedDeletes]) => done ++= more) {
          (some, settings) => SourceDeletesJob.ofTask(some.toVector, target, name, settings)
        }
        done
      } catch {
        case failure: Throwable =>
          discard(files)
          throw failure
      }
    }

  /** The number of deleted rows of each file, by the numbers of the files. Nothing is written.
    *
    * Errors: as of [[run]], without those of writing.
    */
  def counted(files: Vector[DeletedFile]): Map[Int, Long] =
    if (files.isEmpty) Map.empty
    else {
      val name = table
      val context = SparkSession.active.sparkContext
      val description = s"Reading deletes of $name: ${files.size} files"
      val job = new LakeJob(context, description, "read deletes", conf)
      job
        .collect(job.divided(files, 1)) { (some, settings) =>
          val all = some.toVector
          val positions = new SourcePositions(all.map(_.file), name, settings)
          all.map(each => each.number -> positions.of(each.file).size.toLong)
        }
        .flatten
        .toMap
    }

  /** Removes the delete files that were written for these data files. */
  def discard(files: Vector[DeletedFile]): Unit =
    DiscardJob.run(files.flatMap(_.names.known).map(folder + _), conf)
}

private object SourceDeletesJob {

  private def pathOf(deletes: SourceDeletes): Option[String] = deletes match {
    case SourceDeletes.Positions(path, _) => Some(path)
    case SourceDeletes.DeletionVector(path, _, _) => Some(path)
    case SourceDeletes.Equality(path, _, _) => Some(path)
    case SourceDeletes.InlineVector(_) => None
  }

  private def ofTask(
      files: Vector[DeletedFile],
      folder: String,
      table: String,
      conf: Configuration,
  ): Vector[MovedDeletes] = {
    val positions = new SourcePositions(files.map(_.file), table, conf)
    files.map(each => written(each, positions.of(each.file), folder, table, conf))
  }

  private def written(
      each: DeletedFile,
      positions: DeletedPositions,
      folder: String,
      table: String,
      conf: Configuration,
  ): MovedDeletes = {
    val within = positions.countIn(0, each.recordCount)
    require(
      within == positions.size,
      s"the deletes of ${each.file.path} name positions beyond its ${each.recordCount} rows",
    )
    if (positions.isEmpty) MovedDeletes.Nothing(each.number)
    else if (within.toLong == each.recordCount) MovedDeletes.Everything(each.number)
    else {
      val name = each.names.of(TaskAttempt.number)(FileNames.deleteFile())
      TaskAttempt.onLoss(Storage.discard(Vector(folder + name), conf))
      val target = NewDeletes(folder + name, each.dataFile, table, isEncrypted = false)
      val physical = DeleteFileWriter.write(target, positions, conf)
      MovedDeletes.Some(each.number, RegisteredDeletes(name, positions.size.toLong, physical))
    }
  }
}
