package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql

import java.sql.Connection

/** Checks that metadata is in tables. A view in place of a metadata table would run the SQL text of
  * the view's author with the rights of the lake's reader (decision 27).
  *
  * @param display the address for messages
  * @param question its columns: name and kind of each object that is no table
  */
private[jdbc] final class BaseTables(display: String, question: Sql) {

  /** Asks one question on a new connection. Errors: CorruptCatalog. */
  def check(connection: Connection): Unit =
    found(connection).find { case (name, _) => MetadataSchema.hasName(name) }.foreach {
      case (name, kind) =>
        throw new LakeException(
          LakeError.CorruptCatalog(
            s"`$name` at $display",
            s"it is a $kind, and metadata is read from tables alone",
          )
        )
    }

  private def found(connection: Connection): Vector[(String, String)] = {
    val statement = connection.prepareStatement(question.text)
    try {
      Session.bind(statement, question.binds)
      val result = statement.executeQuery()
      Iterator
        .continually(result)
        .takeWhile(_.next())
        .map(row => (row.getString(1), row.getString(2)))
        .toVector
    } finally statement.close()
  }
}
