package ducklake.spark.moving

import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors

import java.time.Instant

/** The versions of a source.
  *
  * @param versions oldest first, with rising times; the last one is the current version
  * @param begins why there are no older ones; None when the first one made the table
  * @param left versions in between that cannot have a snapshot, each with the reason
  */
private[moving] final case class SourceHistory(
    versions: Vector[SourceVersion],
    begins: Option[String],
    left: Vector[String],
)

private[moving] object SourceHistory {

  /** @param found in the order in which they became current
    * @param begins as in [[SourceHistory]]
    */
  def of(found: Vector[SourceVersion], begins: Option[String]): SourceHistory = {
    val (kept, left) = found.foldRight((List.empty[SourceVersion], List.empty[String])) {
      case (version, (later, left)) =>
        val hider = for {
          time <- version.time
          next <- later.headOption
          nextTime <- next.time if !time.isBefore(nextTime)
        } yield s"${version.text}: ${next.text} came later, but its time is not later"
        hider.fold((version :: later, left))(why => (later, why :: left))
    }
    SourceHistory(kept.toVector, begins, left.toVector)
  }

  /** Errors: Unsupported, always. */
  def unreadable(version: SourceVersion, why: String): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"Reading the history of the source (${version.text}: $why)",
        "Nothing was changed.",
      )
    )
}

/** A version of a source.
  *
  * @param version by which [[MovableSource.at]] reads it
  * @param text for messages, such as `version 3`
  * @param time when it became the current one; None when the source does not say it, as only the
  *   current version may
  * @param message what made it, in the words of the source
  */
private[moving] final case class SourceVersion(
    version: String,
    text: String,
    time: Option[Instant],
    message: Option[String],
) {
  def info: CommitInfo = CommitInfo(None, message, Some(text))
}

/** A version of a source as it follows the one before it.
  *
  * @param source the version without its files
  */
private[moving] final case class SourceStep(
    version: SourceVersion,
    source: SourceTable,
    files: StepFiles,
)

/** The files of a version. */
private[moving] sealed trait StepFiles

private[moving] object StepFiles {

  /** All of them, where no version before it is known. */
  final case class All(files: Vector[SourceFile]) extends StepFiles

  /** What differs from the version before.
    *
    * @param set files that are new, or may have other deletes, as the version has them
    * @param gone paths of files that the version does not have any more, in DuckDB's spelling
    */
  final case class Changed(set: Vector[SourceFile], gone: Set[String]) extends StepFiles
}

/** What a lake cannot have of the files of a version, while versions come and go.
  *
  * @param byFile the reasons of files that have some, by their paths in DuckDB's spelling
  */
private[moving] final case class FileProblems(byFile: Map[String, Vector[String]]) {

  /** @param set files that are new or others, each with its reasons */
  def after(set: Vector[(SourceFile, Vector[String])], gone: Set[String]): FileProblems =
    FileProblems(byFile -- gone -- set.map(_._1.stored) ++ FileProblems.of(set).byFile)

  /** Each reason once, with the number of files. */
  def texts: Vector[String] = {
    val counted = byFile.values.flatten.groupMapReduce(identity)(_ => 1)(_ + _)
    counted.toVector.sorted.map { case (why, count) => s"$count $why" }
  }
}

private[moving] object FileProblems {

  def of(files: Vector[(SourceFile, Vector[String])]): FileProblems =
    FileProblems(files.collect {
      case (file, reasons) if reasons.nonEmpty => file.stored -> reasons
    }.toMap)
}
