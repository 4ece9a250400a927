package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeException
import ducklake.catalog.sql.Dialect

import java.sql.Connection
import java.sql.SQLException

/** A catalog database. Safe for many threads; between calls it holds no transaction, no lock and no
  * unread result. A call never needs a second connection while it has one: do not nest calls.
  *
  * @param display for messages; never holds a secret
  * @param busyTimeoutMillis how long a call waits for a database that another process holds
  */
final class Database private[jdbc] (
    val display: String,
    val dialect: Dialect,
    val busyTimeoutMillis: Int,
    policy: ConnectionPolicy,
) {

  /** Whether there is anything to open; a database server is always taken to be there. */
  def exists: Boolean = policy.exists

  /** Several statements that see one state of the database. `body` only reads, and is run once more
    * when the connection was lost, or when a table whose name it had just read is gone.
    *
    * Errors: ConnectionFailed, CatalogBusy, NotADatabase, CatalogQueryFailed, each saying what was
    * attempted: an infinitive such as "read the snapshots".
    */
  def consistent[A](attempted: String)(body: Session => A): A =
    attempt(attempted) { connection =>
      connection.setAutoCommit(false)
      val result =
        try {
          policy.beginRead(connection)
          body(new Session(connection, policy, dialect))
        } catch {
          case error: Throwable =>
            giveUp(connection, error)
            throw error
        }
      finish(connection)
      result
    }

  /** One statement: the same as [[consistent]], for less. */
  def single[A](attempted: String)(body: Session => A): A =
    attempt(attempted)(connection => body(new Session(connection, policy, dialect)))

  /** Several statements that become one transaction, or none. Makes the database when there is none
    * and its kind allows. A `LakeException` of `body` undoes all and passes.
    */
  def write[A](attempted: String)(body: WriteSession => A): WriteOutcome[A] =
    try
      policy.useToWrite { connection =>
        val session = new WriteSession(connection, policy, dialect)
        val value =
          try body(session)
          catch {
            case error: Throwable =>
              undo(connection, error)
              throw error
          }
        try {
          policy.commit(connection)
          WriteOutcome.Done(value)
        } catch {
          case error: SQLException if policy.isRolledBack(error) =>
            undo(connection, error)
            failed(attempted, error)
          case error: SQLException =>
            undo(connection, error)
            WriteOutcome.Unknown(asLakeException(attempted, error))
        }
      }
    catch { case error: SQLException => failed(attempted, error) }

  private def failed(attempted: String, error: SQLException): WriteOutcome[Nothing] =
    WriteOutcome.Failed(policy.classify(error), asLakeException(attempted, error))

  private def undo(connection: Connection, error: Throwable): Unit =
    try policy.rollback(connection)
    catch { case again: SQLException => error.addSuppressed(again) }

  /** Lets go of what is kept for the next call. */
  def close(): Unit = policy.close()

  private def finish(connection: Connection): Unit = {
    connection.rollback()
    connection.setAutoCommit(true)
  }

  /** What fails when all is lost must not hide why it was lost. */
  private def giveUp(connection: Connection, error: Throwable): Unit =
    try finish(connection)
    catch { case again: SQLException => error.addSuppressed(again) }

  private def attempt[A](attempted: String)(body: Connection => A): A =
    try policy.use(body)
    catch {
      case first: SQLException if isWorthAgain(policy.classify(first)) =>
        try policy.use(body)
        catch { case second: SQLException => fail(attempted, second) }
      case error: SQLException => fail(attempted, error)
    }

  private def isWorthAgain(failure: SqlFailure): Boolean = failure match {
    case SqlFailure.LostConnection(_) => policy.forget()
    case SqlFailure.NoSuchTable(_) => true
    case SqlFailure.Busy | SqlFailure.NotADatabase(_) | SqlFailure.Collision(_) |
        SqlFailure.Other(_) =>
      false
  }

  private def fail(attempted: String, error: SQLException): Nothing =
    throw asLakeException(attempted, error)

  private def asLakeException(attempted: String, error: SQLException): LakeException =
    new LakeException(
      SqlFailure.toError(policy.classify(error), this, attempted),
      Some(error),
    )
}
