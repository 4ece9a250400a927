package ducklake.catalog.commit

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.read.SnapshotReader
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MigrationSql

/** Migrates a catalog of an older version to 1.0 in one transaction, as DuckDB does. Missing tables
  * and columns are added first and filled afterwards.
  */
final class Migration(database: Database, snapshots: SnapshotReader) {
  private val dialect = database.dialect
  private val sql = new MigrationSql(dialect)

  /** Migrates the catalog. A catalog of version 1.0 is not changed. Errors: those of the database;
    * CommitOutcomeUnknown.
    */
  def run(): Unit = {
    val outcome = database.write(Migration.Attempted) { session =>
      val version = snapshots.versionIn(session)
      if (version != FormatVersion.V10) migrate(session, version)
    }
    outcome.orThrow(Migration.Attempted)
  }

  /** Tables are altered first and rows are changed afterwards, because DuckDB cannot alter a table
    * whose rows the transaction has changed.
    */
  private def migrate(session: WriteSession, from: FormatVersion): Unit = {
    val partial = reshape(session)
    if (!from.hasPaths) {
      sql.pathsOfFirstVersion.foreach(session.execute)
      session.execute(sql.partitionColumnsOfFirstVersion)
    }
    if (!from.hasMappedPartitions) session.execute(sql.mappingsWithoutPartitions)
    if (!from.hasSchemaVersions) session.execute(sql.schemaVersionsOfSnapshots)
    if (!from.hasTableSchemaVersions) sql.schemaVersionsOfTables.foreach(session.execute)
    if (!from.hasDefaultTypes) session.execute(sql.literalDefaults)
    partial.groupMap(_._2)(_._1).foreach { case (largest, files) =>
      files.grouped(Migration.FilesPerStatement).foreach { some =>
        session.execute(sql.setPartialMax(largest, some))
      }
    }
    session.execute(sql.setVersion(FormatVersion.V10))
  }

  /** Alters the tables. Returns the files with rows of several snapshots, each with the largest of
    * them, read from the column that is dropped.
    */
  private def reshape(session: WriteSession): Vector[(Long, Long)] = {
    if (columns(session, MigrationSql.OldFileStatistics).nonEmpty)
      session.execute(sql.renameFileStatistics)
    val hasPartialInfo =
      columns(session, MetadataSchema.DataFile.name).contains(MigrationSql.PartialFileInfo)
    val partial =
      if (hasPartialInfo) session.query(sql.partialFiles)(row => (row.long(1), row.long(2)))
      else Vector.empty
    complete(session)
    if (hasPartialInfo) session.execute(sql.dropPartialFileInfo)
    partial
  }

  /** Creates the missing tables and columns of 1.0. New columns come last, as in DuckDB's
    * migration.
    */
  private def complete(session: WriteSession): Unit =
    MetadataSchema.all.foreach { table =>
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

private object Migration {
  private val Attempted = "migrate the catalog"
  private val FilesPerStatement = 5000
}
