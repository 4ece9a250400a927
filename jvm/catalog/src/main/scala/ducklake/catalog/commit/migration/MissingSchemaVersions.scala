package ducklake.catalog.commit.migration

import ducklake.catalog.jdbc.Session
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.write.MissingSchemaVersionSql
import ducklake.catalog.types.TableId

/** Adds the rows of ducklake_schema_versions that DuckDB 1.5 omitted when it created inlined
  * tables, for all tables. Commits add them for the tables that they change.
  *
  * @param version of the catalog, whose inlined tables have the columns of that version
  */
private[commit] final class MissingSchemaVersions(dialect: Dialect, version: FormatVersion) {
  import MissingSchemaVersions.Unrecorded

  private val sql = new MissingSchemaVersionSql(dialect, version)

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
    withRows(session).foreach { missing =>
      session.execute(sql.insertOfSnapshots(Some(missing.table)))
      insertOfRows(session, missing)
    }

  private def insertOfRows(session: WriteSession, missing: Unrecorded): Unit =
    session.execute(sql.insertOfRows(missing.table, missing.name, missing.schemaVersion))

  private def withRows(session: Session): Vector[Unrecorded] =
    present(session).filter(missing => session.first(sql.anyRow(missing.name))(_ => ()).nonEmpty)

  private def present(session: Session): Vector[Unrecorded] = {
    val missing = session.query(sql.inlinedTables) { row =>
      Unrecorded(TableId(row.long(1)), row.text(2), row.long(3))
    }
    val there = session.tables(missing.map(_.name)).toSet
    missing.filter(one => there(one.name))
  }
}

private object MissingSchemaVersions {

  /** An inlined table without its schema version. */
  private final case class Unrecorded(table: TableId, name: String, schemaVersion: Long)
}
