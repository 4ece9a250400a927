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
        val groups = job.divided(SourceDeletesJob.grouped(files), 1)
        job.write(groups, (more: Vector[MovedDeletes]) => done ++= more) { (some, settings) =>
          SourceDeletesJob.ofTask(some.toVector, target, name, settings)
        }
        done
      } catch {
        case failure: Throwable =>
          discard(files)
          throw failure
      }
    }

  /** Removes the delete files that were written for these data files. */
  def discard(files: Vector[DeletedFile]): Unit =
    DiscardJob.run(files.flatMap(_.names.known).map(folder + _), conf)
}

private object SourceDeletesJob {

  /** The versions of each data file together, and files that share delete files side by side. */
  private def grouped(files: Vector[DeletedFile]): Vector[Vector[DeletedFile]] =
    files
      .groupBy(_.file.stored)
      .values
      .toVector
      .sortBy(_.last.file.deletes.flatMap(SourceDeletes.pathOf).mkString(" "))

  private def ofTask(
      files: Vector[Vector[DeletedFile]],
      folder: String,
      table: String,
      conf: Configuration,
  ): Vector[MovedDeletes] =
    positions(files, table, conf)(written(_, _, folder, table, conf))

  /** @param files the versions of each data file */
  private def positions[A](files: Vector[Vector[DeletedFile]], table: String, conf: Configuration)(
      use: (DeletedFile, DeletedPositions) => A
  ): Vector[A] = {
    val found = new SourcePositions(files.flatten.map(_.file), table, conf)
    files.flatMap { versions =>
      val all = found.ofVersions(versions.map(_.file)).zip(versions.iterator)
      all.map { case (positions, each) => use(each, positions) }
    }
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
