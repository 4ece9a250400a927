package ducklake.catalog.commit

import ducklake.catalog.jdbc.Session
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.UntoldVersionSql

/** Inserts the schema versions of inlined tables that DuckDB has made without, for all tables. Commits
  * do it for the tables that they change.
  *
  * @param version of the catalog, whose inlined tables have the columns of that version
  */
private[commit] final class UntoldVersions(dialect: Dialect, version: FormatVersion) {
  private val sql = new UntoldVersionSql(dialect, version)

  def exist(session: Session): Boolean = session.first(sql.inlinedTables)(_ => ()).nonEmpty

  def insert(session: WriteSession): Unit =
    if (exist(session)) {
      session.execute(sql.insertOfSnapshots(None))
      val left = session.query(sql.inlinedTables) { row =>
        row.text(2) -> ((TableId(row.long(1)), row.long(3)))
      }
      val present = session.tables(left.map(_._1)).toSet
      left.foreach { case (name, (table, schemaVersion)) =>
        if (present(name)) session.execute(sql.insertOfRows(table, name, schemaVersion))
      }
    }
}
