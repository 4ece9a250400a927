package ducklake.catalog.jdbc.engine

import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.BaseTablesSpec
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqliteDialect
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path
import java.sql.Connection
import java.util.Properties

/** What Spark does with a SQLite file that others made, and that they left as it is. */
class SqlitePolicySpec extends AnyFunSuite {

  private def policyOf(file: Path, properties: (String, String)*): SqlitePolicy =
    new SqlitePolicy(file.toString, 1000, properties.toMap, BaseTablesSpec.of(SqliteDialect))

  private def database(file: Path, properties: (String, String)*): Database =
    new Database(s"sqlite:$file", SqliteDialect, 1000, policyOf(file, properties*))

  private def connected[A](file: Path)(body: Connection => A): A = {
    val connection = new org.sqlite.JDBC().connect(s"jdbc:sqlite:$file", new Properties)
    try body(connection)
    finally connection.close()
  }

  private def run(connection: Connection, statements: String*): Unit =
    statements.foreach(ConnectionPolicy.execute(connection, _))

  private def newFile(journalMode: String): Path = {
    val file = Files.createTempDirectory("sqlite").resolve("a.sqlite")
    connected(file)(run(_, s"PRAGMA journal_mode = $journalMode", "CREATE TABLE t (a)"))
    file
  }

  private def journalModeOf(file: Path): String = connected(file) { connection =>
    val answer = connection.createStatement().executeQuery("PRAGMA journal_mode")
    answer.getString(1)
  }

  private def rowsOf(database: Database): Long =
    database.single("count the rows") { session =>
      session.query(sql"SELECT count(*) FROM t")(_.long(1)).sum
    }

  private def addRow(database: Database): WriteOutcome[Unit] =
    database.write("add a row")(_.execute(sql"INSERT INTO t VALUES ('new')"))

  /** A file with three rows, and the journal of a writer that was killed while it added thousands,
    * of which some are in the file already.
    */
  private def fileOfKilledWriter(): Path = {
    val file = newFile("DELETE")
    val left = Files.createTempDirectory("killed").resolve("a.sqlite")
    val tenThousand = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)"
    connected(file) { connection =>
      run(connection, "INSERT INTO t VALUES (1), (2), (3)")
      run(connection, "PRAGMA cache_size = 1", "BEGIN IMMEDIATE")
      run(connection, s"INSERT INTO t $tenThousand SELECT 'a text that fills pages' || i FROM n")
      Files.copy(file, left): Unit
      Files.copy(journalOf(file), journalOf(left)): Unit
      run(connection, "ROLLBACK")
    }
    left
  }

  private def journalOf(file: Path): Path = file.resolveSibling(s"${file.getFileName}-journal")

  test("what a killed writer left is rolled back by the first read") {
    val file = fileOfKilledWriter()
    val lake = database(file)

    assert(rowsOf(lake) == 3)

    assert(!Files.exists(journalOf(file)))
    assert(addRow(lake) == WriteOutcome.Done(()))
    assert(rowsOf(lake) == 4)
  }

  test("what a killed writer left is rolled back by several reads at once") {
    val file = fileOfKilledWriter()
    val lakes = Vector.fill(4)(database(file))

    val reads = lakes.map(lake => new java.util.concurrent.FutureTask(() => rowsOf(lake)))
    reads.foreach(new Thread(_).start())

    assert(reads.map(_.get()) == Vector(3L, 3L, 3L, 3L))
  }

  test("the error for who may not write says what to do after a killed writer") {
    val file = fileOfKilledWriter()

    val error = intercept[LakeException](rowsOf(database(file, "open_mode" -> "1"))).error

    assert(error.condition == "DUCKLAKE_NOT_PERMITTED")
    assert(error.message.contains("a process was killed while it wrote"))
    assert(Files.exists(journalOf(file)))
  }

  Vector("wal" -> "delete", "delete" -> "wal").foreach { case (own, other) =>
    test(s"a file with the journal mode $own is used, and keeps it, where the key says $other") {
      val file = newFile(own)
      val lake = database(file, "journal_mode" -> other)

      connected(file) { peer =>
        run(peer, "SELECT * FROM t")
        assert(rowsOf(lake) == 0)
        assert(addRow(lake) == WriteOutcome.Done(()))
        assert(rowsOf(lake) == 1)
      }
      lake.close()

      assert(journalModeOf(file) == own)
    }
  }

  test("a new file has the journal mode of the key, else a write-ahead log") {
    val modes = Vector(Vector.empty -> "wal", Vector("journal_mode" -> "delete") -> "delete")
    modes.foreach { case (properties, expected) =>
      val file = Files.createTempDirectory("sqlite").resolve("new.sqlite")
      val lake = database(file, properties*)
      lake.write("make a table")(_.execute(sql"CREATE TABLE t (a)")): Unit
      lake.close()

      assert(journalModeOf(file) == expected)
    }
  }

  test("a journal mode that SQLite does not have is refused") {
    val file = Files.createTempDirectory("sqlite").resolve("new.sqlite")

    val error = intercept[LakeException](policyOf(file, "journal_mode" -> "WALL")).error

    assert(error.condition == "DUCKLAKE_INVALID_SETTING")
    assert(error.parameters("key") == "jdbc.journal_mode")
  }
}
