package ducklake.catalog.commit

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.model.LakePath
import ducklake.catalog.option.OptionRules
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql

import java.time.Instant
import java.time.temporal.ChronoUnit
import java.util.UUID

/** Creates the metadata tables and the first snapshot, as DuckDB does.
  *
  * Source: DuckDB 1.5.5, observed (format 1.3).
  */
final class LakeCreation(database: Database, version: FormatVersion) {
  private val dialect = database.dialect
  private val sql = new WriteSql(dialect, version)

  /** Creates the lake. An existing lake is not changed.
    *
    * @param dataPath absolute path of the folder for data files
    * @param isEncrypted whether its files will be encrypted
    *
    * Errors: those of the database; CommitOutcomeUnknown.
    */
  def create(dataPath: String, isEncrypted: Boolean): Unit = {
    val attempted = "create the lake"
    database.write(attempted) { session =>
      if (!session.hasTable(MetadataSchema.Metadata.name))
        fill(session, LakePath.folder(dataPath), isEncrypted)
    } match {
      case WriteOutcome.Failed(SqlFailure.Collision(_), _) => ()
      case outcome => outcome.orThrow(attempted)
    }
  }

  private def fill(session: WriteSession, dataPath: String, isEncrypted: Boolean): Unit = {
    dialect.ownSchema.foreach { schema =>
      if (session.first(schema.exists)(_ => ()).isEmpty) session.execute(schema.create)
    }
    MetadataSchema.of(version).foreach(table => session.execute(table.create(dialect)))
    val options = Vector(
      "version" -> version.text,
      "created_by" -> "ducklake-spark",
      "data_path" -> dataPath,
      OptionRules.Encrypted -> isEncrypted.toString,
    )
    firstRows(session.now().truncatedTo(ChronoUnit.MICROS)).foreach(session.execute)
    sql
      .insert(MetadataSchema.Metadata, options)(
        "key" -> (option => Bind.Text(option._1)),
        "value" -> (option => Bind.Text(option._2)),
        "scope" -> (_ => Bind.Absent),
        "scope_id" -> (_ => Bind.Absent),
      )
      .foreach(session.execute)
  }

  /** The first snapshot, and the schema `main`. */
  private def firstRows(now: Instant): Vector[Sql] = Vector(
    sql.insertRow(MetadataSchema.Snapshot)(
      "snapshot_id" -> Bind.Number(0),
      "snapshot_time" -> Bind.Moment(now),
      "schema_version" -> Bind.Number(0),
      "next_catalog_id" -> Bind.Number(1),
      "next_file_id" -> Bind.Number(0),
    ),
    sql.insertRow(MetadataSchema.SnapshotChanges)(
      "snapshot_id" -> Bind.Number(0),
      "changes_made" -> Bind.Text("created_schema:\"main\""),
      "author" -> Bind.Absent,
      "commit_message" -> Bind.Absent,
      "commit_extra_info" -> Bind.Absent,
    ),
    sql.insertRow(MetadataSchema.Schema)(
      "schema_id" -> Bind.Number(0),
      "schema_uuid" -> Bind.Uuid(UUID.randomUUID()),
      "begin_snapshot" -> Bind.Number(0),
      "end_snapshot" -> Bind.Absent,
      "schema_name" -> Bind.Text("main"),
      "path" -> Bind.Text("main/"),
      "path_is_relative" -> Bind.Flag(true),
      "parent_schema_id" -> Bind.Absent,
    ),
  )
}
