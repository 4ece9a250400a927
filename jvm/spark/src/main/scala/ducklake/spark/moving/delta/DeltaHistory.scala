package ducklake.spark.moving.delta

import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceVersion
import io.delta.kernel.CommitActions
import io.delta.kernel.CommitRangeBuilder.CommitBoundary
import io.delta.kernel.Snapshot
import io.delta.kernel.TableManager
import io.delta.kernel.engine.Engine
import io.delta.kernel.internal.DeltaHistoryManager
import io.delta.kernel.internal.DeltaLogActionUtils.DeltaAction
import io.delta.kernel.internal.actions.CommitInfo

import java.time.Instant
import java.util.Optional

import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.jdk.CollectionConverters.SetHasAsJava
import scala.util.Using

/** The versions of a table of Delta that its log can still make. */
private[delta] object DeltaHistory {

  def of(engine: Engine, folder: String, newest: Snapshot): SourceHistory = {
    val first =
      DeltaHistoryManager.getEarliestRecreatableCommit(engine, newest.getLogPath, Optional.empty())
    val range = TableManager
      .loadCommitRange(folder, CommitBoundary.atVersion(first))
      .withEndBoundary(CommitBoundary.atVersion(newest.getVersion))
      .build(engine)
    val actions: java.util.Set[DeltaAction] = Set(DeltaAction.COMMITINFO).asJava
    val commits = Using.resource(range.getCommitActions(engine, actions)) {
      _.asScala.map(commit => Using.resource(commit)(Commit.of)).toVector
    }
    SourceHistory.of(
      rising(commits).map(_.version),
      Option.when(first > 0)("the log has no older ones"),
    )
  }

  /** The times by which Delta finds versions: later than the one before, by a millisecond at least. */
  private def rising(commits: Vector[Commit]): Vector[Commit] =
    commits.foldLeft(Vector.empty[Commit]) { (done, commit) =>
      done :+ done.lastOption.fold(commit) { last =>
        commit.copy(millis = math.max(commit.millis, last.millis + 1))
      }
    }

  private final case class Commit(number: Long, millis: Long, operation: Option[String]) {
    def version: SourceVersion =
      SourceVersion(
        number.toString,
        s"version $number",
        Some(Instant.ofEpochMilli(millis)),
        operation,
      )
  }

  private object Commit {

    def of(commit: CommitActions): Commit =
      Commit(commit.getVersion, commit.getTimestamp, operation(commit))

    private def operation(commit: CommitActions): Option[String] =
      Using.resource(commit.getActions) { batches =>
        batches.asScala
          .flatMap { batch =>
            val infos =
              batch.getColumnVector(batch.getSchema.indexOf(DeltaAction.COMMITINFO.colName))
            (0 until batch.getSize).flatMap(row => Option(CommitInfo.fromColumnVector(infos, row)))
          }
          .flatMap(info => Option.when(info.getOperation.isPresent)(info.getOperation.get))
          .nextOption()
      }
  }
}
