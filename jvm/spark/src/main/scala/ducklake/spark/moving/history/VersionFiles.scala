package ducklake.spark.moving.history

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.spark.errors.SparkErrors
import ducklake.spark.moving.AcceptedSources
import ducklake.spark.moving.DeletedFile
import ducklake.spark.moving.MovePlan
import ducklake.spark.moving.MovedDeletes
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.Removal
import ducklake.spark.moving.RewriteJob
import ducklake.spark.moving.SourceChange
import ducklake.spark.moving.SourceDeletesJob
import ducklake.spark.moving.SourceFile
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration

/** A data file that a version of a source has.
  *
  * @param dataFile its full path in the lake
  * @param path as the catalog has it
  */
private[moving] final case class KnownFile(
    dataFile: String,
    path: String,
    recordCount: Long,
    deleteCount: Long,
)

/** What a version changes, when its files are read and written.
  *
  * @param accepted the new files
  * @param rewritten files in place of those of the source, by the numbers of the new files
  * @param moved the deletes of new files, by their numbers
  * @param ended files that the version does not have any more
  * @param removals what happens to the files with other deletes
  * @param known the files that have rows then, by their paths in the source
  */
private[moving] final case class WrittenVersion(
    accepted: AcceptedSources,
    rewritten: Map[Int, NewDataFile],
    moved: Map[Int, MovedDeletes],
    ended: Vector[KnownFile],
    removals: Vector[Removal[KnownFile]],
    known: Map[String, KnownFile],
) {

  /** As [[AcceptedSources.registered]]. */
  def registered(table: LakeTable, dataPath: String, checkedBelow: Long): Operation.RegisterFiles =
    accepted.registered(table, moved, rewritten, dataPath, checkedBelow)
}

/** Reads and writes the files of a version of a source, in tasks.
  *
  * @param table as the operations name it, with the columns of the version
  * @param plan of the version
  */
private[moving] final class VersionFiles(
    lake: SessionLake,
    table: LakeTable,
    plan: MovePlan,
    conf: Configuration,
) {

  private val deletes = new SourceDeletesJob(table.directory, table.qualifiedName, conf)

  /** After an error none of the files that it wrote is left.
    *
    * @param before as [[WrittenVersion.known]] of the version before
    *
    * Errors: those of [[MovedFiles.accepted]] and of the jobs; Unsupported when deleted rows came
    * back.
    */
  def write(change: SourceChange, before: Map[String, KnownFile]): (WrittenVersion, Discarding) = {
    val files = new MovedFiles(lake, table, conf).accepted(plan, change.added)
    val rewrites = new RewriteJob(lake, table, files.outcomes.mappings)
    val rewritten = rewrites.run(files.toRewrite)
    val own = files.deleted(rewritten, table.directory)
    val changed = change.deleted.zipWithIndex.map { case (file, index) =>
      deleted(change.added.size + index, file, before.get(file.stored))
    }
    val discarding = Discarding(() => {
      deletes.discard(own ++ changed)
      rewrites.discard(rewritten)
    })
    discarding.after {
      val moved = deletes.run(own ++ changed).map(each => each.number -> each).toMap
      val removals = changed.map { each =>
        each -> Removal.of(moved(each.number), before.get(each.file.stored))(_.deleteCount)
      }
      removals.collectFirst { case (each, Removal.Returned) => each.file }.foreach(returned)
      deletes.discard(removals.collect { case (each, Removal.Same) => each })
      val ended = change.ended.flatMap(file => before.get(file.stored))
      val written = WrittenVersion(files, rewritten, moved, ended, removals.map(_._2), Map.empty)
      written.copy(known = known(written, change, before))
    } -> discarding
  }

  private def known(
      written: WrittenVersion,
      change: SourceChange,
      before: Map[String, KnownFile],
  ): Map[String, KnownFile] = {
    val begun = written.accepted.files.flatMap { case (one, accepted) =>
      MovedFiles.registered(one, accepted, written.moved).map { file =>
        val inPlace = written.rewritten.get(one.number)
        one.file.stored -> KnownFile(
          inPlace.fold(one.path)(table.directory + _.path),
          inPlace.fold(one.path)(_.path),
          accepted.recordCount,
          file.deletes.fold(0L)(_.deleteCount),
        )
      }
    }
    val gone = written.removals.collect { case Removal.Whole(file) => file }.toSet
    val parts = written.removals.collect { case Removal.Part(file, deletes) =>
      file -> file.copy(deleteCount = deletes.deleteCount)
    }.toMap
    (before -- change.ended.map(_.stored))
      .filterNot { case (_, file) => gone(file) }
      .map { case (path, file) => path -> parts.getOrElse(file, file) } ++ begun
  }

  private def deleted(number: Int, file: SourceFile, known: Option[KnownFile]): DeletedFile = {
    val count = known.map(_.recordCount).orElse(file.recordCount).getOrElse {
      throw new IllegalStateException(s"the source does not say how many rows ${file.path} has")
    }
    val names = AttemptNames.next(FileNames.deleteFile())
    DeletedFile(number, file, known.fold(file.path)(_.dataFile), count, names)
  }

  private def returned(file: SourceFile): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"Bringing back deleted rows of ${file.path}",
        "Nothing was changed. Move the table without its history.",
      )
    )
}

/** Removes files that were written and are not needed. */
private[moving] final case class Discarding(run: () => Unit) {

  /** The value of `body`. When it fails the files are removed. */
  def after[A](body: => A): A =
    try body
    catch {
      case failure: Throwable =>
        run()
        throw failure
    }

  def and(other: Discarding): Discarding = Discarding(() => {
    run()
    other.run()
  })
}

private[moving] object Discarding {
  val nothing: Discarding = Discarding(() => ())
}
