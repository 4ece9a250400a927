package ducklake.spark.moving.history

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeTable
import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.moving.AcceptedSources
import ducklake.spark.moving.DeletedFile
import ducklake.spark.moving.MovedDeletes
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.Removal
import ducklake.spark.moving.SourceFile

/** Versions whose files are read and written.
  *
  * @param outcomes what the footers of all files say
  * @param discarding removes what was written
  */
private[moving] final case class WrittenVersions(
    versions: Vector[WrittenVersion],
    outcomes: FileOutcomes,
    discarding: Discarding,
)

/** A data file that a version of a source has.
  *
  * @param path as the catalog has it
  */
private[moving] final case class KnownFile(path: String, deleteCount: Long)

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
    removals: Vector[(DeletedFile, Removal[KnownFile])],
    known: Map[String, KnownFile],
) {

  /** As [[AcceptedSources.registered]]. */
  def registered(table: LakeTable, dataPath: String, checkedBelow: Long): Operation.RegisterFiles =
    accepted.registered(table, moved, rewritten, dataPath, checkedBelow)

  /** Files whose deleted rows are there again. */
  private[history] def returned: Vector[SourceFile] =
    removals.collect { case (each, Removal.Returned) => each.file }

  /** Deletes that were written and delete no more rows than before. */
  private[history] def same: Vector[DeletedFile] =
    removals.collect { case (each, Removal.Same) => each }
}

private[moving] object WrittenVersion {

  /** @param moved the deletes of all versions, by their numbers
    * @param before as [[WrittenVersion.known]] of the version before
    */
  private[history] def of(
      version: DeletedVersion,
      moved: Map[Int, MovedDeletes],
      before: Map[String, KnownFile],
      table: LakeTable,
  ): WrittenVersion = {
    val removals = version.changed.map { each =>
      each -> Removal.of(moved(each.number), before.get(each.file.stored))(_.deleteCount)
    }
    val change = version.read.change
    val parts = removals.collect { case (each, Removal.Part(file, deletes)) =>
      each.file.stored -> file.copy(deleteCount = deletes.deleteCount)
    }
    val gone = change.ended.map(_.stored) ++
      removals.collect { case (each, Removal.Whole(_)) => each.file.stored }
    WrittenVersion(
      version.read.accepted,
      version.read.rewritten,
      version.own.flatMap(each => moved.get(each.number).map(each.number -> _)).toMap,
      change.ended.flatMap(file => before.get(file.stored)),
      removals,
      before -- gone ++ parts ++ begun(version, moved, table),
    )
  }

  private def begun(
      version: DeletedVersion,
      moved: Map[Int, MovedDeletes],
      table: LakeTable,
  ): Vector[(String, KnownFile)] = {
    val places = version.read.placed(table).toMap
    version.read.accepted.files.flatMap { case (one, accepted) =>
      MovedFiles.registered(one, accepted, moved).map { file =>
        val path = one.file.stored
        path -> KnownFile(places(path).path, file.deletes.fold(0L)(_.deleteCount))
      }
    }
  }
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
