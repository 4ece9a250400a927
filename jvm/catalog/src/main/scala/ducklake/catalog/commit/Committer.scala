package ducklake.catalog.commit

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.statement.CommitStatements
import ducklake.catalog.change.statement.PlannedCommit
import ducklake.catalog.commit.check.CommitMessageCheck
import ducklake.catalog.commit.check.ConflictCheck
import ducklake.catalog.commit.check.RegisteredPathsCheck
import ducklake.catalog.commit.check.ReplacedFilesCheck
import ducklake.catalog.commit.check.StalePlan
import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.commit.migration.Migration
import ducklake.catalog.commit.transaction.FailureText
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.commit.transaction.RetryWait
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.error.OutcomeHint
import ducklake.catalog.jdbc.Abandoned
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.read.snapshot.TransactionHead
import ducklake.catalog.sql.query.CommitSql
import org.slf4j.LoggerFactory

import java.util.concurrent.ThreadLocalRandom

import scala.annotation.tailrec

/** Creates snapshots; there is no other way. A commit is one transaction on the newest state of the
  * lake. It is tried again when another commit came first, and it fails when the other commit
  * conflicts with it. The transaction waits for its turn and inserts the key of the new snapshot.
  * Then it reads the newest state, plans, checks for conflicts and writes, while other commits wait
  * for it. So a commit of many files does not lose to small commits, and no writer starves
  * (decision 08).
  *
  * @param migration migrates a lake older than its target before the commit; None: an older lake is
  *   not migrated, or refuses the commit
  */
final class Committer(
    database: Database,
    snapshots: SnapshotReader,
    retry: RetryPolicy,
    migration: Option[Migration],
) {
  import Committer.Attempt
  import Committer.MigrationNeeded
  import Committer.NothingToCommit

  private val sql = new CommitSql(database.dialect)
  private val statusCheck = new CommitStatusCheck(database, sql)

  def commit(pending: PendingCommit): CommitOutcome = {
    val started = System.nanoTime()
    pending.prepare()
    val outcome = attempts(pending, 0)
    outcome match {
      case CommitOutcome.Committed(snapshot) =>
        val micros = (System.nanoTime() - started) / 1000
        Committer.log.info("committed snapshot {} in {} us", snapshot.id.value, micros)
      case CommitOutcome.Repeated(_, write) =>
        Committer.log.warn("{} is in the lake already, and is not written again", write.text)
      case CommitOutcome.Unchanged(_) | CommitOutcome.Staged(_) | CommitOutcome.Failed(_) |
          CommitOutcome.Unknown(_) =>
        ()
    }
    outcome
  }

  @tailrec
  private def attempts(pending: PendingCommit, retries: Int): CommitOutcome =
    attempt(pending) match {
      case Attempt.Ended(outcome) => outcome
      case Attempt.After(needed) =>
        migrated(needed) match {
          case Some(failed) => failed
          case None => attempts(pending, retries)
        }
      case Attempt.Stale(conflict) if retries >= retry.maxCount => CommitOutcome.Failed(conflict)
      case Attempt.Stale(conflict) =>
        replanned(pending) match {
          case Some(Right(operations)) =>
            Committer.log.info(
              "commit attempt {} is planned again: {}",
              retries + 1,
              conflict.getMessage,
            )
            val again = pending.copy(operations = operations)
            again.prepare()
            attempts(again, retries + 1)
          case Some(Left(failed)) => CommitOutcome.Failed(failed)
          case None => CommitOutcome.Failed(conflict)
        }
      case Attempt.Again(cause) if retries >= retry.maxCount =>
        CommitOutcome.Failed(
          new LakeException(
            LakeError.CommitTimedOut(retries + 1, FailureText.why(cause)),
            Some(cause),
          )
        )
      case Attempt.Again(cause) =>
        val pause = retry.wait(retries + 1, ThreadLocalRandom.current().nextDouble())
        Committer.log.info("commit attempt {} met another: {}", retries + 1, FailureText.why(cause))
        if (RetryWait.lasts(pause)) attempts(pending, retries + 1)
        else
          CommitOutcome.Failed(
            interrupted(s"waited to commit again after ${FailureText.why(cause)}")
          )
    }

  /** The operations planned on the newest snapshot, or why that failed; None when they cannot be
    * planned again.
    */
  private def replanned(pending: PendingCommit): Option[Either[LakeException, Vector[Operation]]] =
    pending.replan.map { plan =>
      try Right(plan())
      catch { case cause: LakeException => Left(cause) }
    }

  /** Migrates the lake; the outcome of the commit when this fails. */
  private def migrated(needed: Migration): Option[CommitOutcome] =
    try {
      needed.run()
      None
    } catch { case cause: LakeException => Some(CommitOutcome.Failed(cause)) }

  private def interrupted(meanwhile: String): LakeException =
    new LakeException(LakeError.StatementInterrupted(meanwhile))

  private def attempt(pending: PendingCommit): Attempt = {
    var planned: Option[PlannedCommit] = None
    try
      database.write("commit") { session =>
        awaitTurn(session)
        val newest = snapshots.newestIn(session, pending.base.id)
        migration.filter(_.isFor(newest.version)).foreach(old => throw new MigrationNeeded(old))
        LakeVersions.checkWritable(newest.version)
        val statements = new CommitStatements(database.dialect, newest.version)
        session.execute(statements.claim(newest.snapshot))
        LakeVersions.checkStill(session, database.dialect, newest.version)
        val options = optionsIn(session, pending)
        RepeatedWrite.in(pending.operations, options).foreach { write =>
          throw new NothingToCommit(CommitOutcome.Repeated(newest.snapshot, write))
        }
        planned = plan(session, newest, pending, statements, options)
        val commit = planned.getOrElse {
          throw new NothingToCommit(CommitOutcome.Unchanged(newest.snapshot))
        }
        commit.statements.foreach(session.execute)
        val last = later(session, newest, pending, commit)
        planned = Some(last)
        last.snapshot
      } match {
        case WriteOutcome.Done(snapshot) => Attempt.Ended(CommitOutcome.Committed(snapshot))
        case WriteOutcome.Failed(failure, cause) => afterFailure(failure, cause)
        case WriteOutcome.Unknown(cause) =>
          planned.fold[Attempt](Attempt.Again(cause))(afterLoss(_, cause))
      }
    catch {
      case older: MigrationNeeded => Attempt.After(older.migration)
      case stale: StalePlan => Attempt.Stale(stale.conflict)
      case nothing: NothingToCommit => Attempt.Ended(nothing.outcome)
      case conflict: LakeException => Attempt.Ended(CommitOutcome.Failed(conflict))
      case _: InterruptedException =>
        Thread.currentThread().interrupt()
        val cause = interrupted("waited for the catalog database")
        planned.fold[Attempt](Attempt.Ended(CommitOutcome.Failed(cause)))(afterLoss(_, cause))
    }
  }

  /** Makes the later commits of the transaction, each on the snapshot of the one before. Gives the last
    * one that made a snapshot.
    */
  private def later(
      session: WriteSession,
      newest: TransactionHead,
      pending: PendingCommit,
      first: PlannedCommit,
  ): PlannedCommit = {
    val statements = new CommitStatements(database.dialect, newest.version)
    pending.later
      .foldLeft((first, first.made)) { case ((last, made), next) =>
        val own = next.on(last.snapshot, made, pending)
        val head = newest.copy(snapshot = last.snapshot)
        plan(session, head, own, statements, optionsIn(session, own)).fold((last, made)) { done =>
          session.execute(done.claim)
          done.statements.foreach(session.execute)
          (done, made.and(done.made))
        }
      }
      ._1
  }

  private def awaitTurn(session: WriteSession): Unit =
    database.dialect.awaitTurn.foreach { turn =>
      val began = System.nanoTime()
      session.execute(turn)
      val millis = (System.nanoTime() - began) / 1000000
      if (millis >= Committer.LoggedMillis)
        Committer.log.info("waited {} ms for the commits of others", millis)
    }

  /** The options that affect this commit. */
  private def optionsIn(session: WriteSession, pending: PendingCommit): Vector[LakeOption] = {
    val tables = pending.tables
    val schemas = tables.map(_.schema.id) ++ pending.createsIn
    val records = pending.operations.collect { case Operation.RecordWrite(_, write) => write.key }
    val keys = Vector(OptionRules.RequireCommitMessage, OptionRules.DataInliningRowLimit).map(_.key)
    snapshots.optionsIn(session, keys ++ records, schemas.distinct, tables.map(_.id))
  }

  private def plan(
      session: WriteSession,
      newest: TransactionHead,
      pending: PendingCommit,
      statements: CommitStatements,
      options: Vector[LakeOption],
  ): Option[PlannedCommit] = {
    val head = newest.snapshot
    CommitMessageCheck.check(options, pending.info)
    val reader = new CommitContextReader(session, database.dialect, newest.version, options)
    new RegisteredPathsCheck(session, database.dialect).check(pending.operations)
    val context =
      new CommitTimes(session, statements).checked(pending, reader.context(head, pending))
    val sources = new ReplacedFilesCheck(session, database.dialect, newest.version)
    sources.checkPast(pending.operations)
    LakeVersions.checkTables(pending.operations, newest.version)
    val commit = statements.plan(pending, context)
    if (head != pending.base)
      commit.foreach(done =>
        new ConflictCheck(session, database.dialect, newest.version)
          .check(pending, newest, done.changes)
      )
    sources.checkReplaced(pending.operations)
    commit
  }

  private def afterFailure(failure: SqlFailure, cause: LakeException): Attempt =
    if (failure.mayPass) Attempt.Again(cause) else Attempt.Ended(CommitOutcome.Failed(cause))

  private def afterLoss(planned: PlannedCommit, cause: LakeException): Attempt =
    statusCheck.check(planned, retry) match {
      case CommitStatus.Committed => Attempt.Ended(CommitOutcome.Committed(planned.snapshot))
      case CommitStatus.NotCommitted => Attempt.Again(cause)
      case CommitStatus.Overtaken => Attempt.Ended(unknown(planned, OutcomeHint.Overtaken(), cause))
      case CommitStatus.Unknown => Attempt.Ended(unknown(planned, hint, cause))
    }

  private def unknown(
      planned: PlannedCommit,
      hint: OutcomeHint,
      cause: LakeException,
  ): CommitOutcome = {
    val attempted = s"commit snapshot ${planned.snapshot.id.value}"
    val error = LakeError.CommitOutcomeUnknown(attempted, hint)
    CommitOutcome.Unknown(new LakeException(error, Some(cause)))
  }

  private def hint: OutcomeHint =
    if (Thread.currentThread().isInterrupted) OutcomeHint.Interrupted()
    else OutcomeHint.NotAnswered()
}

private object Committer {
  private val log = LoggerFactory.getLogger(classOf[Committer])

  /** Shorter waits are not logged. */
  private val LoggedMillis = 100L

  /** Thrown to roll back the transaction, and with it the claimed key, when the operations change
    * nothing or were committed before.
    */
  private final class NothingToCommit(val outcome: CommitOutcome) extends Abandoned

  /** Thrown to end the transaction, because the lake must first be migrated in a separate
    * transaction.
    */
  private final class MigrationNeeded(val migration: Migration) extends Abandoned

  /** How one attempt ended. */
  private sealed trait Attempt

  private object Attempt {
    final case class Ended(outcome: CommitOutcome) extends Attempt

    /** Nothing was changed, because the lake has to be migrated first. */
    final case class After(migration: Migration) extends Attempt

    /** Nothing was changed, because deletes were planned on an older state of their files. */
    final case class Stale(conflict: LakeException) extends Attempt

    /** Nothing was changed, and another attempt may succeed. */
    final case class Again(cause: LakeException) extends Attempt
  }
}
