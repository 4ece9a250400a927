package ducklake.spark.moving.delta

import ducklake.spark.moving.FileProblems
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceFolder
import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceStep
import ducklake.spark.moving.SourceVersion
import ducklake.spark.moving.StepFiles
import io.delta.kernel.CommitActions
import io.delta.kernel.CommitRangeBuilder.CommitBoundary
import io.delta.kernel.TableManager
import io.delta.kernel.data.Row
import io.delta.kernel.engine.Engine
import io.delta.kernel.exceptions.KernelException
import io.delta.kernel.internal.DeltaLogActionUtils.DeltaAction

import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.jdk.CollectionConverters.SetHasAsJava
import scala.util.Using

/** Reads versions of a table of Delta one after another. The first one is read whole, of every other
  * one only its own file of the log.
  *
  * @param reader of a version by its number
  */
private[delta] final class DeltaSteps(
    engine: Engine,
    folder: SourceFolder,
    reader: Long => DeltaReader,
) {

  /** @param versions without gaps, at least one */
  def of(versions: Vector[SourceVersion]): Iterator[SourceStep] = {
    val first = versions.head
    val start = read(first)
    val files = start.files
    val problems = FileProblems.of(files)
    val whole = SourceStep(first, start.shape(problems), StepFiles.All(files.map(_._1)))
    val later = commits(versions.tail).scanLeft((whole, start, problems)) {
      case ((_, before, known), (version, commit)) => next(version, commit, before, known)
    }
    later.map(_._1)
  }

  private def next(
      version: SourceVersion,
      commit: LoggedActions,
      before: DeltaReader,
      problems: FileProblems,
  ): (SourceStep, DeltaReader, FileProblems) = {
    val now = if (commit.isReshaped) read(version) else before
    val set = commit.added.map(row => now.file(DeltaFile.scanned(row, now.root)))
    val there = set.map(_._1.stored).toSet
    val gone = commit.removed
      .map(path => SourceFile.stored(folder.spelled(DeltaFile.path(path, now.root))))
      .filterNot(there)
      .toSet
    val known = problems.after(set, gone)
    val step = SourceStep(version, now.shape(known), StepFiles.Changed(set.map(_._1), gone))
    (step, now, known)
  }

  private def read(version: SourceVersion): DeltaReader =
    try reader(version.version.toLong)
    catch {
      case gone: KernelException =>
        SourceHistory.unreadable(version, gone.getMessage.stripSuffix("."))
    }

  private def commits(versions: Vector[SourceVersion]): Iterator[(SourceVersion, LoggedActions)] =
    if (versions.isEmpty) Iterator.empty
    else {
      val range = TableManager
        .loadCommitRange(
          folder.opened,
          CommitBoundary.atVersion(versions.head.version.toLong),
        )
        .withEndBoundary(CommitBoundary.atVersion(versions.last.version.toLong))
        .build(engine)
      val found = range.getCommitActions(engine, LoggedActions.read.asJava).asScala
      versions.iterator.zip(found.map(commit => Using.resource(commit)(LoggedActions.of)))
    }
}

/** What a version of the log says of files.
  *
  * @param removed paths as the log has them
  * @param isReshaped whether it may have other columns
  */
private final case class LoggedActions(
    added: Vector[Row],
    removed: Vector[String],
    isReshaped: Boolean,
)

private object LoggedActions {

  val read: Set[DeltaAction] =
    Set(DeltaAction.ADD, DeltaAction.REMOVE, DeltaAction.METADATA, DeltaAction.PROTOCOL)

  def of(commit: CommitActions): LoggedActions =
    Using.resource(commit.getActions) { batches =>
      val rows = batches.asScala.flatMap(batch => Using.resource(batch.getRows)(_.asScala.toVector))
      val all = rows.toVector
      LoggedActions(
        all.flatMap(action(_, DeltaAction.ADD)),
        all.flatMap(action(_, DeltaAction.REMOVE)).map { row =>
          row.getString(row.getSchema.indexOf("path"))
        },
        all.exists { row =>
          action(row, DeltaAction.METADATA).nonEmpty || action(row, DeltaAction.PROTOCOL).nonEmpty
        },
      )
    }

  private def action(row: Row, kind: DeltaAction): Option[Row] = {
    val at = row.getSchema.indexOf(kind.colName)
    Option.when(!row.isNullAt(at))(row.getStruct(at))
  }
}
