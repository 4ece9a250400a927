package ducklake.spark.transaction

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.error.CommitSubject
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.staged.StagedLake
import ducklake.files.path.PathResolver
import ducklake.spark.session.OpenTransaction
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StagedWork
import ducklake.spark.session.StagedWrite
import ducklake.spark.session.StatementInfo
import ducklake.spark.session.WritePlan
import ducklake.spark.session.WrittenFiles

import java.time.Instant
import java.util.UUID

/** Begins and ends the transaction of a session over several statements (decision 30). */
final class Transactions(lake: SessionLake) {

  /** Returns the base of the transaction. Errors: TransactionState; ReadOnly.
    *
    * What is opened does not hold the session: the transaction of a session that is gone is dropped.
    */
  def begin(info: StatementInfo): Snapshot =
    lake.transaction
      .begin {
        val base = lake.base()
        val empty = StagedLake.empty(lake.lake.dataPath())
        val own = lake.lake
        val settings = lake.config.lake
        val newest = () => own.newest()
        OpenTransaction(UUID.randomUUID(), Instant.now(), settings, base, empty, info, newest)
      }
      .base
      .snapshot

  /** Commits all statements as one snapshot. None when they change nothing; then there is no new
    * snapshot. The transaction is over in any case. Its files are deleted, unless a snapshot names
    * them or may name them.
    *
    * Errors: TransactionState; the errors of a commit.
    */
  def commit(): Option[Snapshot] =
    ending("commit") { open =>
      try {
        val outcome = committed(open)
        outcome.orThrow: Unit
        outcome.committed
      } catch {
        case failure: LakeException => throw Transactions.named(failure)
      }
    }

  /** Drops the changes of all statements and deletes their files. Errors: TransactionState. */
  def rollback(): Unit =
    ending("roll back")(open => delete(open.staged.written))

  /** What Spark has cached within the transaction is wrong after it. */
  private def ending[A](verb: String)(action: OpenTransaction => A): A = {
    var changed = Vector.empty[LakeTable] // noted before the transaction ends
    try
      lake.transaction.end(verb) { open =>
        changed = open.staged.tables.values.map(_.table).toVector ++
          open.staged.objects.tables.values.flatMap(_.before)
        action(open)
      }
    finally lake.refreshCacheOf(changed)
  }

  private def committed(open: OpenTransaction): CommitOutcome = {
    val work = new StagedWork
    val plans = new TransactionPlans(lake, open.base, open.staged)
    def add(plan: WritePlan): Unit = work.add(StagedWrite(plan, Map.empty, lake.config.hadoop))
    try {
      open.staged.tables.values.toVector.sortBy(_.table.id.value).foreach(own => add(plans.of(own)))
      if (changes(open, work)) plans.guards.foreach(add)
    } catch {
      case failure: Throwable =>
        delete(open.staged.written)
        plans.made.delete(lake.config.hadoop)
        throw failure
    }
    delete(open.staged.written.filterNot(plans.kept))
    val objects = open.staged.objects.operations
    val options = open.staged.options.operations
    if (changes(open, work)) work.commit(lake, open.base, objects ++ options, open.info)
    else {
      if (options.nonEmpty) lake.lake.setOptions(options)
      CommitOutcome.Unchanged(open.base.snapshot)
    }
  }

  /** Whether there is something for a snapshot. */
  private def changes(open: OpenTransaction, work: StagedWork): Boolean =
    open.staged.objects.operations.nonEmpty || work.operations.nonEmpty

  /** @param files full paths, as the catalog has them */
  private def delete(files: Vector[String]): Unit =
    if (files.nonEmpty)
      WrittenFiles(files.map(PathResolver.hadoopPath)).delete(lake.config.hadoop)
}

private object Transactions {

  /** The error of a commit, about the transaction. */
  def named(failure: LakeException): LakeException = {
    val subject = CommitSubject.Transaction
    val error = failure.error match {
      case conflict: LakeError.CommitConflict => conflict.copy(subject = subject)
      case late: LakeError.CommitTimedOut => late.copy(subject = subject)
      case interrupted: LakeError.StatementInterrupted => interrupted.copy(subject = subject)
      case unknown: LakeError.CommitOutcomeUnknown =>
        unknown.copy(hint = unknown.hint.about(subject))
      case other => other
    }
    if (error == failure.error) failure else new LakeException(error, Some(failure))
  }
}
