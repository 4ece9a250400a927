package ducklake.catalog.commit

import ducklake.catalog.jdbc.Database
import ducklake.catalog.read.OptionScope
import ducklake.catalog.read.SnapshotReader
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.WriteSql

/** Stores options. This creates no snapshot.
  *
  * Source: DuckDB 1.5.5, observed (format 8.5).
  */
final class OptionWriter(database: Database, snapshots: SnapshotReader) {

  /** Stores the value, or removes the option when the value is None. After a lost connection the
    * option has either its old or its new value, and it can safely be set again.
    *
    * Errors: those of the database; CommitOutcomeUnknown; Unsupported for a lake of a version that
    * is not written.
    */
  def set(key: String, value: Option[String], scope: OptionScope): Unit = {
    val (kind, id) = columns(scope)
    val outcome = database.write(OptionWriter.Attempted) { session =>
      val version = snapshots.versionIn(session)
      LakeVersions.checkWritable(version)
      val sql = new WriteSql(database.dialect, version)
      session.execute(sql.deleteOption(key, kind, id))
      value.foreach { text =>
        val row =
          Vector(Bind.Text(key), Bind.Text(text), Bind.ofText(kind), Bind.of(id))
        session.execute(sql.insert(MetadataSchema.Metadata, row))
      }
    }
    outcome.orThrow(OptionWriter.Attempted)
  }

  private def columns(scope: OptionScope): (Option[String], Option[Long]) =
    scope match {
      case OptionScope.Global => (None, None)
      case OptionScope.OfSchema(id) => (Some("schema"), Some(id.value))
      case OptionScope.OfTable(id) => (Some("table"), Some(id.value))
    }
}

private object OptionWriter {
  private val Attempted = "set the option"
}
