package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.VacuumStep
import org.slf4j.LoggerFactory

import java.sql.Connection
import java.sql.SQLException
import java.time.Instant
import java.util.concurrent.atomic.AtomicLong

import scala.util.control.NonFatal

/** A catalog database. Safe for many threads. Between calls it holds no transaction, no lock and no
  * unread result. A call never needs a second connection while it has one, so calls must not be
  * nested.
  *
  * The outcome of a call is fixed before its connection is released. An error while the connection
  * is released is only logged (decision 06).
  *
  * @param display the address for messages; never contains a secret
  * @param busyTimeoutMillis how long a call waits for a database that another process has locked
  */
final class Database private[jdbc] (
    val display: String,
    val dialect: Dialect,
    val busyTimeoutMillis: Int,
    policy: ConnectionPolicy,
) {

  private val named =
    NamedDatabase(display, dialect.databaseName, busyTimeoutMillis, () => policy.writtenBy)

  private val usedAt = new AtomicLong(System.nanoTime())

  /** Whether the database exists. A database server is always assumed to exist. */
  def exists: Boolean = policy.exists

  /** Runs several statements that see one state of the database. `body` only reads and must be
    * repeatable. It runs a second time after a lost connection, after a killed process left changes
    * to roll back, when a table whose name it has read is gone, when a table has other columns than
    * the version of the catalog says (after a migration for whose locks it waited), or when a
    * standby had to apply changes first.
    *
    * Errors: the errors of [[SqlFailure.toError]], with `attempted`, an infinitive such as "read
    * the snapshots".
    */
  def consistent[A](attempted: String)(body: Session => A): A =
    reading(attempted) { lease =>
      lent(lease, endRead) { connection =>
        connection.setAutoCommit(false)
        policy.beginRead(connection)
        body(new Session(connection, policy, dialect))
      }
    }

  /** Runs one statement. The same as [[consistent]] without a transaction, which costs less. */
  def single[A](attempted: String)(body: Session => A): A =
    reading(attempted) { lease =>
      lent(lease, _ => ())(connection => body(new Session(connection, policy, dialect)))
    }

  /** Runs several statements in one transaction. Creates the database when there is none and its
    * kind allows it. A `LakeException` or an [[Abandoned]] of `body` rolls back the transaction and
    * is rethrown.
    */
  def write[A](attempted: String)(body: WriteSession => A): WriteOutcome[A] =
    try {
      val lease = waited(attempted)(policy.lendToWrite())
      val value = lentToChange(attempted, lease)(body)
      committed(attempted, lease, value)
    } catch { case error: SQLException => failed(attempted, error) }

  /** Rewrites the database, so that it holds no bytes of removed rows.
    *
    * @param tables the tables of the lake
    *
    * Errors: Unsupported where only a person can do it; CatalogBusy while others use the database;
    * the errors of [[SqlFailure.toError]]. Some tables may be rewritten even then.
    */
  def vacuum(tables: Vector[String]): Unit = dialect.vacuum(tables) match {
    case Left(hint) =>
      val what = s"Removing bytes of removed rows from a catalog in ${dialect.databaseName}"
      throw new LakeException(LakeError.Unsupported(what, hint))
    case Right(steps) => steps.foreach(vacuum)
  }

  private def vacuum(step: VacuumStep): Unit = {
    val attempted = "vacuum the catalog database"
    val before = step.waiting(busyTimeoutMillis)
    if (before.nonEmpty) write(attempted)(s => before.foreach(s.execute)).orThrow(attempted)
    try {
      val lease = policy.lendToWrite()
      lent(lease, _ => ()) { connection =>
        val refused = policy.unlimited(connection) {
          ConnectionPolicy.firstNumber(connection, step.statement.text).exists(_ != 0)
        }
        if (refused)
          throw new SQLException("database is locked", "", Database.SqliteBusy)
      }
    } catch { case error: SQLException => throw asLakeException(attempted, error) }
  }

  /** As [[Session.now]]; a clock of this process needs no connection. */
  def now(): Instant =
    if (dialect.clock.isEmpty) Instant.now() else single("read the clock")(_.now())

  /** Closes idle connections. The next call opens a new one. A failure is only logged: nobody waits
    * for the end of an idle connection, and other databases are closed after this one.
    */
  def close(): Unit =
    try policy.close()
    catch {
      case NonFatal(error) =>
        Database.log.warn(
          "an idle connection to the catalog database at {} could not be closed",
          display,
          error,
        )
    }

  /** The end of the last call, as a value of `System.nanoTime`. */
  private[jdbc] def lastUsedNanos: Long = usedAt.get()

  /** Takes a connection or a lock of the database, and logs how long that took unless it was short.
    */
  private def waited[A](attempted: String)(take: => A): A = {
    val began = System.nanoTime()
    val taken = take
    val millis = (System.nanoTime() - began) / 1000000
    if (millis >= Database.LoggedMillis)
      Database.log.info(
        "waited {} ms for the catalog database at {}, to {}",
        millis,
        display,
        attempted,
      )
    taken
  }

  private def lentToChange[A](attempted: String, lease: Lease)(body: WriteSession => A): A =
    try {
      waited(attempted)(policy.beginWrite(lease.connection))
      body(new WriteSession(lease.connection, policy, dialect))
    } catch {
      case error: Throwable =>
        abandon(lease, policy.rollback, error)
        throw error
    }

  /** Commits. When COMMIT throws, the outcome is known only if the database itself reported the
    * error.
    */
  private def committed[A](attempted: String, lease: Lease, value: A): WriteOutcome[A] = {
    val outcome =
      try {
        policy.commit(lease.connection)
        WriteOutcome.Done(value)
      } catch {
        case error: SQLException if policy.isRolledBack(error) =>
          abandon(lease, policy.rollback, error)
          failed(attempted, error)
        case error: SQLException =>
          abandon(lease, policy.rollback, error)
          WriteOutcome.Unknown(asLakeException(attempted, error))
        case error: Throwable =>
          abandon(lease, policy.rollback, error)
          WriteOutcome.Unknown(asLakeException(attempted, new SQLException(error)))
      }
    outcome match {
      case WriteOutcome.Done(_) => release(lease.giveBack())
      case WriteOutcome.Failed(_, _) | WriteOutcome.Unknown(_) => ()
    }
    outcome
  }

  private def failed(attempted: String, error: SQLException): WriteOutcome[Nothing] = {
    val failure = failureOf(error)
    isWorthAgain(failure): Unit
    WriteOutcome.Failed(failure, asLakeException(attempted, error))
  }

  private def reading[A](attempted: String)(body: Lease => A): A =
    try body(waited(attempted)(policy.lend()))
    catch {
      case first: SQLException if isWorthAgain(failureOf(first)) =>
        try body(policy.lend())
        catch { case second: SQLException => throw asLakeException(attempted, second) }
      case error: SQLException => throw asLakeException(attempted, error)
    }

  private def isWorthAgain(failure: SqlFailure): Boolean = failure match {
    case SqlFailure.LostConnection(_) =>
      policy.forget()
      true
    case SqlFailure.LeftUnfinished =>
      policy.recover()
      true
    case SqlFailure.NoSuchTable(_) | SqlFailure.NoSuchColumn(_) | SqlFailure.Collision(_) => true
    case _ => false
  }

  /** @param finish ends the transaction that `body` began
    */
  private def lent[A](lease: Lease, finish: Connection => Unit)(body: Connection => A): A = {
    val result =
      try body(lease.connection)
      catch {
        case error: Throwable =>
          abandon(lease, finish, error)
          throw error
      }
    release {
      try finish(lease.connection)
      catch {
        case error: Throwable =>
          release(lease.discard())
          throw error
      }
      lease.giveBack()
    }
    result
  }

  private def endRead(connection: Connection): Unit = {
    connection.rollback()
    connection.setAutoCommit(true)
  }

  /** Ends a call that failed. Errors in this method must not hide the first error. The connection
    * is reused only when the database had answered properly and the transaction could be rolled
    * back.
    */
  private def abandon(lease: Lease, undo: Connection => Unit, error: Throwable): Unit = {
    val isUndone =
      try {
        undo(lease.connection)
        true
      } catch {
        case again: Throwable =>
          error.addSuppressed(again)
          false
      }
    if (isUndone && leavesUsable(error)) release(lease.giveBack()) else release(lease.discard())
  }

  private def leavesUsable(error: Throwable): Boolean = error match {
    case known: SQLException => policy.classify(known).leavesConnectionUsable
    case _: LakeException | _: Abandoned => true
    case _ => false
  }

  private def release(end: => Unit): Unit = {
    try end
    catch {
      case error: Throwable =>
        Database.log.warn(
          "a call to the catalog database at {} ended as it should, but its connection could not be " +
            "released; check that its disk has room and that it can be reached",
          display,
          error,
        )
    }
    usedAt.set(System.nanoTime())
    IdleDatabases.used(this)
  }

  private def failureOf(error: SQLException): SqlFailure =
    if (SqlFailure.isInterrupt(error)) SqlFailure.Interrupted
    else
      policy.classify(error) match {
        case SqlFailure.Busy if Thread.currentThread().isInterrupted => SqlFailure.Interrupted
        case other => other
      }

  private def asLakeException(attempted: String, error: SQLException): LakeException =
    new LakeException(SqlFailure.toError(failureOf(error), named, attempted), Some(error))
}

private object Database {
  private val log = LoggerFactory.getLogger(classOf[Database])

  private val SqliteBusy = 5

  /** Shorter waits for the database are not logged. */
  private val LoggedMillis = 100L
}
