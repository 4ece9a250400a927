package ducklake.catalog.commit.migration

import ducklake.catalog.jdbc.Session
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.write.UntoldVersionSql
import ducklake.catalog.types.TableId

/** Adds the rows of ducklake_schema_versions that DuckDB 1.5 omitted when it created inlined
  * tables, for all tables. Commits add them for the tables that they change.
  *
  * @param version of the catalog, whose inlined tables have the columns of that version
  */
private[commit] final class UntoldVersions(dialect: Dialect, version: FormatVersion) {
  import UntoldVersions.Untold

  private val sql = new UntoldVersionSql(dialect, version)

  /** Inserts all of them. */
  def insert(session: WriteSession): Unit = {
    session.execute(sql.insertOfSnapshots(None))
    present(session).foreach(insertOfRows(session, _))
  }

  /** Whether inlined rows lack their version. */
  def areNeeded(session: Session): Boolean = withRows(session).nonEmpty

  /** Inserts the versions that inlined rows need. An extra version keeps compaction from merging
    * the files before it with the files after it.
    */
  def insertNeeded(session: WriteSession): Unit =
    withRows(session).foreach { untold =>
      session.execute(sql.insertOfSnapshots(Some(untold.table)))
      insertOfRows(session, untold)
    }

  private def insertOfRows(session: WriteSession, untold: Untold): Unit =
    session.execute(sql.insertOfRows(untold.table, untold.name, untold.schemaVersion))

  private def withRows(session: Session): Vector[Untold] =
    present(session).filter(untold => session.first(sql.anyRow(untold.name))(_ => ()).nonEmpty)

  private def present(session: Session): Vector[Untold] = {
    val untold = session.query(sql.inlinedTables) { row =>
      Untold(TableId(row.long(1)), row.text(2), row.long(3))
    }
    val there = session.tables(untold.map(_.name)).toSet
    untold.filter(one => there(one.name))
  }
}

private object UntoldVersions {

  /** An inlined table without its schema version. */
  private final case class Untold(table: TableId, name: String, schemaVersion: Long)
}
