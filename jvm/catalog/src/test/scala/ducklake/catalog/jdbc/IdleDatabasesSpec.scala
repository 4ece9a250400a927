package ducklake.catalog.jdbc

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqliteDialect
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.sql.Connection
import java.sql.SQLException
import java.util.concurrent.atomic.AtomicInteger

/** Databases that nobody uses are closed, also after another could not be. */
class IdleDatabasesSpec extends AnyFunSuite {

  /** A database of SQLite whose closing is counted, and fails after that. */
  private final class Unclosable {
    val closings = new AtomicInteger
    private val real = FaultyPolicy.sqlite(
      Files.createTempDirectory("idle").resolve("lake.sqlite").toString
    )

    private val policy = new ConnectionPolicy {
      def exists: Boolean = real.exists
      def lend(): Lease = real.lend()
      def lendToWrite(): Lease = real.lendToWrite()
      def beginWrite(connection: Connection): Unit = real.beginWrite(connection)
      def commit(connection: Connection): Unit = real.commit(connection)
      def rollback(connection: Connection): Unit = real.rollback(connection)
      def isRolledBack(error: SQLException): Boolean = real.isRolledBack(error)
      def beginRead(connection: Connection): Unit = real.beginRead(connection)
      def classify(error: SQLException): SqlFailure = real.classify(error)
      def forget(): Unit = real.forget()
      def close(): Unit = {
        closings.incrementAndGet(): Unit
        real.close()
        throw new SQLException("injected")
      }
    }
    private val database = new Database("unclosable", SqliteDialect, 100, policy)

    def use(): Unit = database
      .write("make a table") { session =>
        session.execute(sql"CREATE TABLE IF NOT EXISTS t (a INTEGER)"): Unit
      }
      .orThrow("make a table")
  }

  test("a database that cannot be closed does not keep others open") {
    val both = Vector(new Unclosable, new Unclosable)

    both.foreach(_.use())
    IdleDatabases.closeIdle(System.nanoTime() + 1)
    assert(both.map(_.closings.get) == Vector(1, 1))

    both.foreach(_.use())
    IdleDatabases.closeAll()
    assert(both.map(_.closings.get) == Vector(2, 2))
  }

  test("a look that fails does not end the looks of every minute") {
    val looks = new AtomicInteger

    MinuteTimer.logged { () =>
      looks.incrementAndGet(): Unit
      throw new SQLException("injected")
    }

    assert(looks.get == 1)
  }
}
