package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.engine.Databases
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import org.duckdb.DuckDBDriver
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path
import java.sql.Connection
import java.util.Locale
import java.util.Properties

/** Files of databases that somebody made who wants to see what a reader of the lake can see. */
class BaseTablesSpec extends AnyFunSuite {

  private val secret = {
    val file = Files.createTempDirectory("secret").resolve("secret.txt")
    Files.writeString(file, "TOP SECRET")
  }

  private def newFile(name: String): Path = Files.createTempDirectory("made").resolve(name)

  private def run(connection: Connection, statements: String*): Unit =
    try statements.foreach(ConnectionPolicy.execute(connection, _))
    finally connection.close()

  private def sqlite(statements: String*): Database = {
    val file = newFile("a.sqlite")
    run(new org.sqlite.JDBC().connect(s"jdbc:sqlite:$file", new Properties), statements*)
    opened(CatalogUri.Sqlite(file.toString))
  }

  private def duckDb(statements: String*): Database = {
    val file = newFile("a.ducklake")
    run(new DuckDBDriver().connect(s"jdbc:duckdb:$file", new Properties), statements*)
    opened(CatalogUri.DuckDb(file.toString))
  }

  private def opened(uri: CatalogUri): Database =
    Databases.open(uri, None, 1000, PoolSettings.default, Map.empty)

  private def texts(database: Database, question: Sql): Vector[String] =
    database.single("read")(_.query(question)(_.text(1)))

  private def refused(database: Database, name: String, kind: String): Unit = {
    val question = sql"SELECT a FROM ${database.dialect.table(name.toLowerCase(Locale.ROOT))}"
    val reading = intercept[LakeException](texts(database, question)).error
    val writing = intercept[LakeException](database.write("write")(_ => ())).error

    Seq(reading, writing).foreach { error =>
      assert(error.condition == "DUCKLAKE_CORRUPT_CATALOG")
      assert(error.message.contains(s"`$name`"))
      assert(error.message.contains(s"it is a $kind"))
    }
  }

  test("a view in the place of a metadata table is refused, whatever its letters") {
    Seq("ducklake_table", "DuckLake_Table", "ducklake_inlined_data_1_1").foreach { name =>
      refused(sqlite(s"CREATE VIEW $name AS SELECT 1 AS a"), name, "view")
      val leak = s"CREATE VIEW $name AS SELECT content AS a FROM read_text('$secret')"
      refused(duckDb(leak), name, "view")
    }
  }

  test("a virtual table of SQLite is refused") {
    val database = sqlite("CREATE VIRTUAL TABLE ducklake_table USING rtree(id, a, b)")

    refused(database, "ducklake_table", "virtual table")
  }

  test("views with other names do no harm") {
    val statements =
      Seq("CREATE TABLE ducklake_table AS SELECT 'x' AS a", "CREATE VIEW mine AS SELECT 1 AS a")
    Seq(sqlite(statements*), duckDb(statements*)).foreach { database =>
      val question = sql"SELECT a FROM ${database.dialect.table("ducklake_table")}"
      assert(texts(database, question) == Vector("x"))
      assert(texts(database, question) == Vector("x"))
    }
  }

  test("statements on a DuckDB file reach no other file and change no setting") {
    val database = duckDb("CREATE TABLE ducklake_table AS SELECT 'x' AS a")
    val folder = secret.getParent
    Seq[Sql](
      Sql(s"SELECT content FROM read_text('$secret')", Vector.empty),
      Sql(s"SELECT file FROM glob('$folder/*')", Vector.empty),
      Sql(s"COPY (SELECT 1) TO '$folder/out.csv'", Vector.empty),
      Sql(s"ATTACH '$folder/other.db' AS other", Vector.empty),
      Sql("SET enable_external_access = true", Vector.empty),
      Sql("SET allowed_directories = ['/']", Vector.empty),
    ).foreach { statement =>
      intercept[LakeException](texts(database, statement))
    }
    val questions =
      Seq("SELECT current_setting('TimeZone')", "SELECT a FROM ducklake_catalog.ducklake_table")
    assert(questions.flatMap(q => texts(database, Sql(q, Vector.empty))) == Seq("UTC", "x"))
  }

  test("macros of a DuckDB file take the place of no function") {
    val database = duckDb(
      "CREATE TABLE ducklake_table AS SELECT 'x' AS a",
      "CREATE MACRO max(a) AS 'changed'",
      "CREATE MACRO lower(a) AS 'changed'",
      "CREATE MACRO coalesce(a, b) AS 'changed'",
    )
    val table = database.dialect.table("ducklake_table")

    assert(texts(database, sql"SELECT lower(max(coalesce(a, 'y'))) FROM $table") == Vector("x"))
  }

  test("the schema of a SQLite file runs no function that is not safe") {
    val database = sqlite("CREATE TABLE ducklake_table AS SELECT 'x' AS a")

    assert(texts(database, sql"PRAGMA trusted_schema") == Vector("0"))
    assert(texts(database, sql"PRAGMA cell_size_check") == Vector("1"))
  }

  test("a DuckDB file is written, folded into its file, and read again") {
    val database = duckDb("CREATE TABLE ducklake_table (a VARCHAR)")
    val table = database.dialect.table("ducklake_table")
    val rows = sql"INSERT INTO $table SELECT 'row ' || i FROM range(200000) AS r(i)"

    assert(database.write("insert")(_.execute(rows)) == WriteOutcome.Done(()))
    assert(database.write("delete")(_.execute(sql"DELETE FROM $table")) == WriteOutcome.Done(()))

    assert(texts(database, sql"SELECT a FROM $table").isEmpty)
  }
}

object BaseTablesSpec {

  /** The check as lakes make it. */
  def of(dialect: Dialect): BaseTables = new BaseTables("a test", dialect.otherThanTables)
}
