package ducklake.spark.moving

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.MappedColumn
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
    * Errors: CannotAddFile for the first file that a lake cannot have; FileAlreadyRegistered.
    */
  def accepted(plan: MovePlan, files: Vector[SourceFile]): AcceptedSources = {
    val sources = files.zipWithIndex.map { case (file, number) => NumberedSource(number, file) }
    new OwnedFiles(lake, table.qualifiedName, conf).refuse(sources.map(_.path))
    val request = RegistrationRequest(
      table.columns,
      plan.keys,
      MatchRules(allowsMissing = true, ignoresExtra = true),
      usesPathKeys = false,
      withoutBounds = Set.empty,
    )
    val names = ColumnMatching.ById(MovedFiles.names(table.columns), plan.source.names)
    val candidates = sources.map { one =>
      val known = KnownContent(one.file.recordCount, plan.partition(one.file))
      CandidateFile(one.number, one.path, PathResolver.hadoopPath(one.path), Some(known))
    }
    val outcomes =
      FootersJob.run(lake, FootersSpec(table.qualifiedName, request, names), candidates)
    outcomes.refused.foreach { file =>
      val refusal = file.refusal
      SparkErrors.raise(
        LakeError.CannotAddFile(table.qualifiedName, file.path, refusal.why, refusal.hint)
      )
    }
    val found = outcomes.accepted.sortBy(_.position).map(file => sources(file.position) -> file)
    AcceptedSources(outcomes.mappings, found)
  }
}

/** Files that a table of a lake can have.
  *
  * @param mappings name mappings of files without field ids
  */
private[moving] final case class AcceptedSources(
    mappings: Vector[Vector[MappedColumn]],
    files: Vector[(NumberedSource, AcceptedFile)],
) {

  /** The files with deletes. */
  def deleted: Vector[DeletedFile] = files.flatMap(_._1.deleted)

  /** The operation that gives them to the table. Files without rows left are not registered.
    *
    * @param moved the deletes of files, by their numbers
    */
  def registered(
      table: LakeTable,
      moved: Map[Int, MovedDeletes],
      dataPath: String,
      checkedBelow: Long,
  ): Operation.RegisterFiles = Operation.RegisterFiles(
    table,
    mappings,
    files.flatMap { case (one, known) => MovedFiles.registered(one, known, moved) },
    dataPath,
    checkedBelow,
  )
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

  /** The names of columns and their parts, by their ids. */
  def names(columns: Vector[Column]): Map[Int, String] =
    columns.flatMap { column =>
      (Math.toIntExact(column.id.value) -> column.name) +: names(column.children).toVector
    }.toMap

  /** The greatest id of the columns and their parts. */
  def greatest(columns: Vector[Column]): Long = names(columns).keys.max.toLong
}

/** A data file with its place in the source. */
private[moving] final case class NumberedSource(number: Int, file: SourceFile) {

  val path: String = file.stored

  /** The file with the names of its delete file, when it has deletes. */
  val deleted: Option[DeletedFile] =
    Option.when(file.deletes.nonEmpty)(NumberedSource.deleted(number, file))
}

private[moving] object NumberedSource {
  def deleted(number: Int, file: SourceFile): DeletedFile =
    DeletedFile(number, file, AttemptNames.next(FileNames.deleteFile()))
}
