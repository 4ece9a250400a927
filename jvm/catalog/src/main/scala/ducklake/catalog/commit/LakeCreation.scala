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
    dialect.createSchema.foreach(session.execute)
    MetadataSchema.of(version).foreach(table => session.execute(table.create(dialect)))
    val options = Vector(
      "version" -> version.text,
      "created_by" -> "ducklake-spark",
      "data_path" -> dataPath,
      OptionRules.Encrypted -> isEncrypted.toString,
    )
    val rows = Vector(
      MetadataSchema.Snapshot -> Vector[Bind](
        Bind.Number(0),
        Bind.Moment(Instant.now().truncatedTo(ChronoUnit.MICROS)),
        Bind.Number(0),
        Bind.Number(1),
        Bind.Number(0),
      ),
      MetadataSchema.SnapshotChanges -> Vector[Bind](
        Bind.Number(0),
        Bind.Text("created_schema:\"main\""),
        Bind.Absent,
        Bind.Absent,
        Bind.Absent,
      ),
      MetadataSchema.Schema -> Vector[Bind](
        Bind.Number(0),
        Bind.Uuid(UUID.randomUUID()),
        Bind.Number(0),
        Bind.Absent,
        Bind.Text("main"),
        Bind.Text("main/"),
        Bind.Flag(true),
        Bind.Absent,
      ),
    )
    rows.foreach { case (table, row) => session.execute(sql.insert(table, row)) }
    sql
      .insert(
        MetadataSchema.Metadata,
        options.map { case (key, value) =>
          Vector[Bind](Bind.Text(key), Bind.Text(value), Bind.Absent, Bind.Absent)
        },
      )
      .foreach(session.execute)
  }
}
