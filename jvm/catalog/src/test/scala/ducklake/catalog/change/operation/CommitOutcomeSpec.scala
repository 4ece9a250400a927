package ducklake.catalog.change.operation

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class CommitOutcomeSpec extends AnyFunSuite {
  private val snapshot = Snapshot(SnapshotId(1), Instant.EPOCH, 1, 10, 10)
  private val cause = new LakeException(LakeError.StatementInterrupted("waited"))

  private def discards(outcome: CommitOutcome): Boolean = {
    var isDiscarded = false
    outcome.ifNoSnapshot { isDiscarded = true }
    isDiscarded
  }

  test("files of a commit are discarded when it has certainly made no snapshot") {
    val outcomes = Vector[CommitOutcome](
      CommitOutcome.Failed(cause),
      CommitOutcome.Unchanged(snapshot),
      CommitOutcome.Repeated(snapshot, StreamEpoch("q", 1)),
    )

    assert(outcomes.forall(discards))
  }

  test("files of a commit stay when a snapshot may name them") {
    val outcomes = Vector[CommitOutcome](
      CommitOutcome.Committed(snapshot),
      CommitOutcome.Staged(snapshot),
      CommitOutcome.Unknown(cause),
    )

    assert(!outcomes.exists(discards))
  }
}
