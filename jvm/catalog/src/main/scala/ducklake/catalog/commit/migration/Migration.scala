package ducklake.catalog.commit.migration

import ducklake.catalog.commit.transaction.RepeatableTransaction
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.write.MigrationSql
import org.slf4j.LoggerFactory

/** Migrates a catalog of an older version in one transaction, as DuckDB does. Missing tables and
  * columns are added first and filled afterwards. It is tried again after a collision with a
  * commit.
  *
  * @param target the version afterwards
  */
final class Migration(
    database: Database,
    snapshots: SnapshotReader,
    retry: RetryPolicy,
    val target: FormatVersion,
) {
  private val dialect = database.dialect
  private val sql = new MigrationSql(dialect)

  /** Whether the migration applies to catalogs of this version. */
  def isFor(version: FormatVersion): Boolean = version.isBefore(target)

  /** Migrates the catalog. A catalog of the target version, or of a later one, is not changed.
    * Errors: those of the database; CommitOutcomeUnknown; StatementInterrupted; Unsupported for a
    * lake that cannot be migrated; CorruptCatalog.
    */
  def run(): Unit = {
    val done = new RepeatableTransaction(database, retry, "migrate the catalog").run { session =>
      dialect.lockOutCommits.foreach(session.execute)
      val version = snapshots.versionIn(session)
      Option.when(isFor(version))((version, migrate(session, version)))
    }
    done.foreach { case (from, lost) =>
      lost.foreach(warnOfLostRuns)
      Migration.log.warn(
        "The lake at {} was migrated from version {} to {}. Other sessions must open it again.",
        database.display,
        from.text,
        target.text,
      )
    }
  }

  /** Tables are altered first and rows are changed afterwards, because DuckDB cannot alter a table
    * whose rows the transaction has changed. Returns the runs of rows that are lost.
    */
  private def migrate(session: WriteSession, from: FormatVersion): Option[LostRowOrigins] = {
    val isTo11 = target.hasInlinedPrefix
    val renames =
      if (isTo11) new InlinedRenames(session, dialect).statements() else Vector.empty
    val lost = lostRuns(session)
    val partial = reshape(session)
    renames.foreach(session.execute)
    if (!from.hasPaths) {
      sql.pathsOfFirstVersion.foreach(session.execute)
      session.execute(sql.partitionColumnsOfFirstVersion)
    }
    if (!from.hasMappedPartitions) session.execute(sql.mappingsWithoutPartitions)
    if (!from.hasSchemaVersions) session.execute(sql.schemaVersionsOfSnapshots)
    if (!from.hasTableSchemaVersions) sql.schemaVersionsOfTables.foreach(session.execute)
    new MissingSchemaVersions(dialect, target).insert(session)
    new ShapeVersions(dialect, target).complete(session)
    if (!from.hasDefaultTypes) session.execute(sql.literalDefaults)
    partial.groupMap(_._2)(_._1).foreach { case (largest, files) =>
      files.grouped(Migration.FilesPerStatement).foreach { some =>
        session.execute(sql.setPartialMax(largest, some))
      }
    }
    new InlinedConversion(session, dialect, target).statements().foreach(session.execute)
    if (isTo11) new BoundRepair(session, dialect).run()
    session.execute(sql.setVersion(from, target))
    lost
  }

  /** Alters the tables. Returns the files with rows of several snapshots, each with the largest of
    * these snapshots, read from the column that is dropped.
    */
  private def reshape(session: WriteSession): Vector[(Long, Long)] = {
    if (columns(session, MigrationSql.OldFileStatistics).nonEmpty)
      session.execute(sql.renameFileStatistics)
    val hasInfo = hasPartialInfo(session)
    val partial =
      if (hasInfo) session.query(sql.partialFiles)(row => (row.long(1), row.long(2)))
      else Vector.empty
    complete(session)
    if (hasInfo) session.execute(sql.dropPartialFileInfo)
    partial
  }

  private def hasPartialInfo(session: WriteSession): Boolean =
    columns(session, MetadataSchema.DataFile.name).contains(MigrationSql.PartialFileInfo)

  private def lostRuns(session: WriteSession): Option[LostRowOrigins] =
    if (hasPartialInfo(session))
      LostRowOrigins.of(session.query(sql.runsOfFiles)(row => (row.text(1), row.text(2))))
    else None

  private def warnOfLostRuns(lost: LostRowOrigins): Unit =
    Migration.log.warn(
      "The migration of the lake at {} forgets in which snapshots rows were added to merged files " +
        "of {}: snapshots before {} show rows of later snapshots from now on. Expire these " +
        "snapshots, or read them in a copy of the catalog database from before the migration.",
      database.display,
      lost.tables.mkString(", "),
      lost.until,
    )

  /** Creates the missing tables and columns of the target. New columns come last, as in DuckDB's
    * migration.
    */
  private def complete(session: WriteSession): Unit =
    MetadataSchema.of(target).foreach { table =>
      val present = columns(session, table.name)
      if (present.isEmpty) session.execute(table.create(dialect))
      else
        table.columns
          .filterNot(column => present.contains(column.name))
          .foreach(column => session.execute(sql.addColumn(table, column)))
    }

  private def columns(session: WriteSession, table: String): Vector[String] =
    session.query(dialect.columnNames(Vector(table)))(_.text(2))
}

private object Migration {
  private val log = LoggerFactory.getLogger(classOf[Migration])
  private val FilesPerStatement = 5000
}
