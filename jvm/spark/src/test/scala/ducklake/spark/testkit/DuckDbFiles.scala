package ducklake.spark.testkit

import org.duckdb.DuckDBDriver

import java.nio.file.Files
import java.nio.file.Path
import java.sql.Connection
import java.util.Properties

/** Parquet files written by the real DuckDB, in a folder of their own. */
final class DuckDbFiles extends AutoCloseable {

  val folder: Path = Files.createTempDirectory("ducklake-files")
  private val connection: Connection = new DuckDBDriver().connect("jdbc:duckdb:", new Properties)

  /** Runs statements that prepare what is written. */
  def run(statement: String): Unit = {
    val prepared = connection.createStatement()
    try prepared.execute(statement): Unit
    finally prepared.close()
  }

  /** Writes the query's result.
    *
    * @param fieldIds as DuckDB's COPY takes them, such as `{a: 1, l: {__duckdb_field_id: 2, element: 3}}`;
    *   empty: a file without ids
    */
  def write(name: String, query: String, fieldIds: String = "", options: String = ""): Path = {
    val file = folder.resolve(name)
    val ids = if (fieldIds.isEmpty) "" else s", FIELD_IDS $fieldIds"
    run(s"COPY ($query) TO '$file' (FORMAT parquet$ids$options)")
    file
  }

  /** The first column of a query's rows, as text; NULL as `NULL`. */
  def texts(query: String): Vector[String] = {
    val statement = connection.createStatement()
    try {
      val rows = statement.executeQuery(query)
      Iterator
        .continually(rows)
        .takeWhile(_.next())
        .map(row => Option(row.getString(1)).getOrElse("NULL"))
        .toVector
    } finally statement.close()
  }

  /** The encodings of all columns, as DuckDB reports them. */
  def encodings(file: Path): String = {
    val statement = connection.createStatement()
    try {
      val rows = statement.executeQuery(
        s"SELECT string_agg(encodings, ' ') FROM parquet_metadata('$file')"
      )
      rows.next()
      rows.getString(1)
    } finally statement.close()
  }

  override def close(): Unit = {
    connection.close()
    val paths = Files.walk(folder)
    try
      paths.sorted(java.util.Comparator.reverseOrder[Path]).forEach(path => Files.delete(path))
    finally paths.close()
  }
}
