package ducklake.catalog.jdbc

import org.scalatest.funsuite.AnyFunSuite

import java.sql.DriverManager
import java.sql.SQLException

/** What a failed statement of SQLite means. */
class SqlFailureSpec extends AnyFunSuite {

  private def failureOf(statement: String): SqlFailure = {
    val connection = DriverManager.getConnection("jdbc:sqlite::memory:")
    try {
      val made = connection.createStatement()
      made.execute(
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c TEXT NOT NULL CHECK (c <> 'x'))"
      )
      made.execute("INSERT INTO t VALUES (1, 'b', 'c')")
      made.execute("CREATE TRIGGER full BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'full'); END")
      SqlFailure.sqlite(intercept[SQLException](made.execute(statement)))
    } finally connection.close()
  }

  Seq("(1, 'd', 'c')", "(2, 'b', 'c')").foreach { row =>
    test(s"a key that is taken may be free later: $row") {
      assert(failureOf(s"INSERT INTO t VALUES $row").isInstanceOf[SqlFailure.Collision])
    }
  }

  Seq("INSERT INTO t VALUES (2, 'd', NULL)", "INSERT INTO t VALUES (2, 'd', 'x')", "DELETE FROM t")
    .foreach { statement =>
      test(s"a rule that refuses is final: $statement") {
        assert(!failureOf(statement).mayPass)
      }
    }
}
