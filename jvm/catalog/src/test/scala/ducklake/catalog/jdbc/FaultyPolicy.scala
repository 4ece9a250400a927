package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.engine.SqlitePolicy
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.SqliteDialect

import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Proxy
import java.sql.Connection
import java.sql.SQLException

/** A real database whose connection fails once, at a chosen call of a transaction that writes. */
object FaultyPolicy {

  sealed trait Fault

  object Fault {

    /** At the n-th statement, from 1. */
    final case class AtStatement(n: Int) extends Fault

    /** COMMIT does not reach the database. */
    case object BeforeCommit extends Fault

    /** COMMIT is done, its answer is lost. */
    case object AfterCommit extends Fault

    /** COMMIT is done, its answer is lost, and so is every connection since. */
    case object SinceCommit extends Fault

    /** COMMIT is done, its answer is lost, and since then the database's folder is not there. */
    case object GoneSinceCommit extends Fault

    /** The thread is interrupted while it waits for a connection. */
    case object WhileWaiting extends Fault

    /** COMMIT is done, and the driver dies of an error that is none of the database. */
    case object CrashAfterCommit extends Fault

    /** All is done, and the connection cannot be given back. */
    case object AtRelease extends Fault

    case object Never extends Fault
  }

  /** @param meanwhile what others do between the fault and each write after it
    * @param onDiscard is called when a connection is not used again
    */
  def database(
      policy: ConnectionPolicy,
      dialect: Dialect,
      fault: Fault,
      meanwhile: () => Unit = () => (),
      onDiscard: () => Unit = () => (),
  ): Database =
    new Database("faulty", dialect, 100, new Faulty(policy, fault, meanwhile, onDiscard))

  def sqlite(path: String): ConnectionPolicy =
    new SqlitePolicy(path, 100, Map.empty, BaseTablesSpec.of(SqliteDialect))

  private final class Faulty(
      policy: ConnectionPolicy,
      fault: Fault,
      meanwhile: () => Unit,
      onDiscard: () => Unit,
  ) extends ConnectionPolicy {
    private var isSpent = false
    private var statements = 0

    def exists: Boolean = policy.exists
    def lend(): Lease = failing(policy.lend())
    def lendToWrite(): Lease = {
      if (fault == Fault.WhileWaiting) throw new InterruptedException("injected")
      if (fault == Fault.SinceCommit && isSpent) throw lost
      if (fault == Fault.GoneSinceCommit && isSpent) throw gone
      if (isSpent) meanwhile()
      statements = 0
      failing(policy.lendToWrite())
    }
    def beginWrite(connection: Connection): Unit = policy.beginWrite(connection)
    def commit(connection: Connection): Unit = {
      if (fault == Fault.BeforeCommit) fail()
      policy.commit(connection)
      if (losesAnswer) fail()
      if (fault == Fault.CrashAfterCommit) throw new NoClassDefFoundError("injected")
    }
    def rollback(connection: Connection): Unit = policy.rollback(connection)
    def isRolledBack(error: SQLException): Boolean = policy.isRolledBack(error)
    def beginRead(connection: Connection): Unit = policy.beginRead(connection)
    def classify(error: SQLException): SqlFailure = policy.classify(error)
    def forget(): Unit = policy.forget()
    def close(): Unit = policy.close()

    private def failing(real: Lease): Lease = new Lease {
      val connection: Connection = faulty(real.connection)
      def giveBack(): Unit = {
        real.giveBack()
        if (fault == Fault.AtRelease) fail()
      }
      def discard(): Unit = {
        onDiscard()
        real.discard()
      }
    }

    private def faulty(real: Connection): Connection =
      Proxy
        .newProxyInstance(
          getClass.getClassLoader,
          Array(classOf[Connection]),
          (_: Any, method: Method, arguments: Array[Object]) => {
            before(method.getName)
            try method.invoke(real, Option(arguments).getOrElse(Array.empty[Object]): _*)
            catch { case wrapped: InvocationTargetException => throw wrapped.getCause }
          },
        )
        .asInstanceOf[Connection]

    private def before(method: String): Unit = {
      if (method == "prepareStatement") statements += 1
      (method, fault) match {
        case ("prepareStatement", Fault.AtStatement(n)) if statements == n => fail()
        case _ => ()
      }
    }

    private def losesAnswer: Boolean = fault match {
      case Fault.AfterCommit | Fault.SinceCommit | Fault.GoneSinceCommit => true
      case _ => false
    }

    private def gone: LakeException =
      new LakeException(LakeError.InvalidUri("sqlite:lake", "names a folder", "Make the folder."))

    private def fail(): Unit =
      if (!isSpent) {
        isSpent = true
        throw lost
      }

    private def lost: SQLException = new SQLException("injected", "08006", 10)
  }
}
