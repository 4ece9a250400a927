package ducklake.catalog.commit

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.read.SnapshotReader
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataTables
import ducklake.catalog.sql.MigrationSql

/** Brings a catalog of an older version up to 1.0, in one transaction, as DuckDB does: what its
  * tables lack is added, then filled.
  */
final class Migration(database: Database, snapshots: SnapshotReader) {
  private val dialect = database.dialect
  private val sql = new MigrationSql(dialect)

  /** Leaves a catalog of version 1.0 as it is. */
  def run(): Unit =
    database.write("migrate the catalog") { session =>
      val version = snapshots.newestIn(session).version
      if (version != FormatVersion.V10) migrate(session, version)
    } match {
      case WriteOutcome.Done(_) => ()
      case WriteOutcome.Failed(_, cause) => throw cause
      case WriteOutcome.Unknown(cause) => throw cause
    }

  private def migrate(session: WriteSession, from: FormatVersion): Unit = {
    if (columns(session, MigrationSql.OldFileStatistics).nonEmpty)
      session.execute(sql.renameFileStatistics)
    complete(session)
    if (!from.hasPaths) {
      sql.pathsOfFirstVersion.foreach(session.execute)
      session.execute(sql.partitionColumnsOfFirstVersion)
    }
    if (!from.hasMappedPartitions) session.execute(sql.mappingsWithoutPartitions)
    if (!from.hasSchemaVersions) session.execute(sql.schemaVersionsOfSnapshots)
    if (!from.hasTableSchemaVersions) sql.schemaVersionsOfTables.foreach(session.execute)
    if (!from.hasDefaultTypes) session.execute(sql.literalDefaults)
    if (columns(session, MetadataTables.DataFile.name).contains(MigrationSql.PartialFileInfo)) {
      session.execute(sql.partialMax)
      session.execute(sql.dropPartialFileInfo)
    }
    session.execute(sql.setVersion(FormatVersion.V10))
  }

  /** Makes the tables and columns of 1.0 that are missing; new columns stand last there too. */
  private def complete(session: WriteSession): Unit =
    MetadataTables.all.foreach { table =>
      val present = columns(session, table.name)
      if (present.isEmpty) session.execute(table.create(dialect))
      else
        table.columns
          .filterNot(column => present.contains(column.name))
          .foreach(column => session.execute(sql.addColumn(table, column)))
    }

  private def columns(session: WriteSession, table: String): Vector[String] =
    session.query(dialect.columnNames(table))(_.text(1))
}
