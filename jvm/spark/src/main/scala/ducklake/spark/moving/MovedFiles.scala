package ducklake.spark.moving

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.registration.MatchRules
import ducklake.catalog.registration.RegistrationRequest
import ducklake.catalog.types.Column
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.errors.SparkErrors
import ducklake.spark.maintenance.add.AcceptedFile
import ducklake.spark.maintenance.add.CandidateFile
import ducklake.spark.maintenance.add.ColumnMatching
import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.maintenance.add.FootersJob
import ducklake.spark.maintenance.add.FootersSpec
import ducklake.spark.maintenance.add.KnownContent
import ducklake.spark.maintenance.add.OwnedFiles
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration

/** Data files of a source as new data files of a table.
  *
  * @param table as the operations name it
  */
private[moving] final class MovedFiles(lake: SessionLake, table: LakeTable, conf: Configuration) {

  /** The files with what their footers say. Files without rows are left out.
    *
    * Errors: CannotAddFile for the first file that a lake cannot have.
    */
  def accepted(plan: MovePlan, files: Vector[NumberedSource]): AcceptedSources = {
    val outcomes = footers(plan, files)
    outcomes.refused.foreach { file =>
      val refusal = file.refusal
      SparkErrors.raise(
        LakeError.CannotAddFile(table.qualifiedName, file.path, refusal.why, refusal.hint)
      )
    }
    val sources = files.map(one => one.number -> one).toMap
    val found = outcomes.accepted.sortBy(_.position).map(file => sources(file.position) -> file)
    AcceptedSources(outcomes, found)
  }

  /** Errors: FileAlreadyRegistered for the first file that belongs to a lake already. */
  def refuseOwned(files: Vector[SourceFile]): Unit =
    new OwnedFiles(lake, table.qualifiedName, conf).refuse(paths(files))

  /** Files that belong to a lake already: parts of a sentence. */
  def owned(files: Vector[SourceFile]): Vector[String] =
    new OwnedFiles(lake, table.qualifiedName, conf).among(paths(files)).map { case (path, why) =>
      s"file $path $why"
    }

  /** A file that has come back is the same file. */
  private def paths(files: Vector[SourceFile]): Vector[String] =
    files.filterNot(_.isReturned).map(_.stored)

  /** What the footers of the files say, refused files included. Files that have come back are written
    * again.
    */
  def footers(plan: MovePlan, files: Vector[NumberedSource]): FileOutcomes = {
    val (columns, matching) = plan.source.names match {
      case NamesInFiles.FieldIds(mapped) =>
        (table.columns, ColumnMatching.ById(MovedFiles.names(table.columns), mapped))
      case NamesInFiles.Stored(stored, ids) => (stored, ColumnMatching.ByStoredName(ids))
    }
    val request = RegistrationRequest(
      columns,
      plan.keys,
      MatchRules(allowsMissing = true, ignoresExtra = true),
      usesPathKeys = false,
      withoutBounds = Set.empty,
    )
    val candidates = files.map { one =>
      val known = KnownContent(one.file.recordCount, plan.partition(one.file), one.file.stated)
      CandidateFile(one.number, one.path, PathResolver.hadoopPath(one.path), Some(known))
    }
    val returned = files.filter(_.file.isReturned).map(_.number).toSet
    val found =
      FootersJob.run(lake, FootersSpec(table.qualifiedName, request, matching), candidates)
    found.copy(accepted = found.accepted.map { file =>
      if (returned(file.position)) file.copy(needsRewrite = true) else file
    })
  }
}

/** Files that a table of a lake can have.
  *
  * @param outcomes what their footers say
  * @param files each with its part of the outcomes
  */
private[moving] final case class AcceptedSources(
    outcomes: FileOutcomes,
    files: Vector[(NumberedSource, AcceptedFile)],
) {

  /** The files whose rows have to be written anew. */
  def toRewrite: Vector[(NumberedSource, AcceptedFile)] = files.filter(_._2.needsRewrite)

  /** The files with deletes.
    *
    * @param rewritten files in place of those of the source, by their numbers
    * @param directory the table's
    */
  def deleted(rewritten: Map[Int, NewDataFile], directory: String): Vector[DeletedFile] =
    files.flatMap { case (one, known) =>
      val dataFile = rewritten.get(one.number).fold(one.file.path)(directory + _.path)
      one.deleted(dataFile, known.recordCount)
    }

  /** The operation that gives them to the table. Files without rows left are not registered, and
    * mappings that no file has are left out.
    *
    * @param moved the deletes of files, by their numbers
    * @param rewritten as of [[deleted]]
    */
  def registered(
      table: LakeTable,
      moved: Map[Int, MovedDeletes],
      rewritten: Map[Int, NewDataFile],
      dataPath: String,
      checkedBelow: Long,
  ): Operation.RegisterFiles = {
    val found = files.flatMap { case (one, known) =>
      MovedFiles
        .registered(one, known, moved)
        .map(file => rewritten.get(one.number).fold(file)(MovedFiles.inPlaceOf(file, _)))
    }
    val used = found.flatMap(_.mapping).distinct.sorted
    Operation.RegisterFiles(
      table,
      used.map(outcomes.mappings),
      found.map(file => file.copy(mapping = file.mapping.map(used.indexOf(_)))),
      dataPath,
      checkedBelow,
    )
  }
}

private[moving] object MovedFiles {

  /** None for a file without rows.
    *
    * @param moved the deletes of files, by their numbers
    */
  def registered(
      one: NumberedSource,
      known: AcceptedFile,
      moved: Map[Int, MovedDeletes],
  ): Option[RegisteredFile] = {
    val deletes = moved.get(one.number) match {
      case Some(MovedDeletes.Everything(_)) => Left(())
      case Some(MovedDeletes.Some(_, found)) => Right(Some(found))
      case Some(MovedDeletes.Nothing(_)) | None => Right(None)
    }
    deletes.toOption.map { found =>
      RegisteredFile(
        LakePath(one.path, isRelative = false),
        known.mapping,
        known.recordCount,
        known.physical,
        known.partition,
        known.statistics,
        found,
      )
    }
  }

  /** The file that was written in place of a file of the source, with the deletes of that file. */
  def inPlaceOf(file: RegisteredFile, written: NewDataFile): RegisteredFile =
    RegisteredFile(
      LakePath(written.path, isRelative = true),
      mapping = None,
      written.recordCount,
      written.physical,
      written.partition,
      written.statistics,
      file.deletes,
    )

  /** The names of columns and their parts, by their ids. */
  def names(columns: Vector[Column]): Map[Int, String] =
    columns.flatMap { column =>
      (Math.toIntExact(column.id.value) -> column.name) +: names(column.children).toVector
    }.toMap

  /** The greatest id of the columns and their parts. */
  def greatest(columns: Vector[Column]): Long = names(columns).keys.max.toLong
}

/** A data file with a number of its own. */
private[moving] final case class NumberedSource(number: Int, file: SourceFile) {

  val path: String = file.stored

  /** The file with the names of its delete file, when it has deletes.
    *
    * @param dataFile as in [[DeletedFile]]
    */
  def deleted(dataFile: String, recordCount: Long): Option[DeletedFile] =
    Option.when(file.deletes.nonEmpty) {
      DeletedFile(number, file, dataFile, recordCount, AttemptNames.next(FileNames.deleteFile()))
    }
}

private[moving] object NumberedSource {

  /** @param first the number of the first file */
  def all(files: Vector[SourceFile], first: Int = 0): Vector[NumberedSource] =
    files.zipWithIndex.map { case (file, index) => NumberedSource(first + index, file) }
}
