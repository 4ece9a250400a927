package ducklake.catalog.testkit

import java.nio.file.Path
import java.sql.Connection
import java.util.Properties

/** Brings a lake of version 1.0 in a SQLite file to 1.1 in plain SQL, and reads the file as it is.
  * Written from the format's description alone, so that it judges our own migration.
  *
  * Source: format 14.2 and 14.3.
  */
object RaisedLake {

  val statements: Vector[String] = Vector(
    "ALTER TABLE ducklake_schema ADD COLUMN parent_schema_id BIGINT",
    "ALTER TABLE ducklake_data_file ADD COLUMN row_group_count BIGINT",
    "ALTER TABLE ducklake_file_column_stats ADD COLUMN min_is_exact BIGINT",
    "ALTER TABLE ducklake_file_column_stats ADD COLUMN max_is_exact BIGINT",
    "ALTER TABLE ducklake_delete_file ADD COLUMN row_group_count BIGINT",
    "ALTER TABLE ducklake_table_column_stats ADD COLUMN min_is_exact BIGINT",
    "ALTER TABLE ducklake_table_column_stats ADD COLUMN max_is_exact BIGINT",
    "CREATE TABLE ducklake_view_column_tag (view_id BIGINT, column_name VARCHAR, " +
      "begin_snapshot BIGINT, end_snapshot BIGINT, \"key\" VARCHAR, \"value\" VARCHAR)",
    "UPDATE ducklake_metadata SET value = '1.1' WHERE key = 'version'",
  )

  def raise(file: Path): Unit = {
    val inlined = ask(file, "SELECT table_name FROM ducklake_inlined_data_tables").map(_.head)
    val renames = for {
      table <- inlined
      column <- Vector("row_id", "begin_snapshot", "end_snapshot")
    } yield s"ALTER TABLE $table RENAME COLUMN $column TO _ducklake_$column"
    run(file, renames ++ statements: _*)
  }

  /** Copies the lake, with what is in its write-ahead log. */
  def copy(from: Path, to: Path): Unit = run(from, s"VACUUM INTO '$to'")

  def run(file: Path, statements: String*): Unit = on(file) { connection =>
    val statement = connection.createStatement()
    statements.foreach(text => statement.executeUpdate(text): Unit)
    statement.close()
  }

  /** All rows of a query, values as text. */
  def ask(file: Path, query: String): Vector[Vector[String]] = on(file) { connection =>
    val result = connection.createStatement().executeQuery(query)
    val width = result.getMetaData.getColumnCount
    Iterator
      .continually(result.next())
      .takeWhile(identity)
      .map(_ => (1 to width).map(at => String.valueOf(result.getString(at))).toVector)
      .toVector
  }

  /** The columns and the rows of every table, as text. */
  def content(file: Path): Map[String, (Vector[String], Vector[Vector[String]])] = {
    val tables = ask(file, "SELECT name FROM sqlite_master WHERE type = 'table'").map(_.head)
    tables.map { table =>
      val columns = ask(file, s"SELECT name, type FROM pragma_table_info('$table')")
      table -> ((columns.map(_.mkString(" ")), ask(file, s"SELECT * FROM $table ORDER BY 1, 2")))
    }.toMap
  }

  private def on[A](file: Path)(body: Connection => A): A = {
    val connection = new org.sqlite.JDBC().connect(s"jdbc:sqlite:$file", new Properties)
    try body(connection)
    finally connection.close()
  }
}
