package ducklake.catalog.commit

import ducklake.catalog.change.OptionChange
import ducklake.catalog.change.OptionStatements
import ducklake.catalog.jdbc.Database
import ducklake.catalog.read.OptionScope
import ducklake.catalog.read.SnapshotReader
import ducklake.catalog.sql.WriteSql

/** Stores options. This creates no snapshot.
  *
  * Source: DuckDB 1.5.5, observed (format 8.5).
  */
final class OptionWriter(database: Database, snapshots: SnapshotReader) {

  /** Changes the options in one transaction. After a lost connection all of them have either their
    * old or their new values, and they can safely be set again.
    *
    * Errors: those of the database; CommitOutcomeUnknown; Unsupported for a lake of a version that
    * is not written.
    */
  def set(changes: Vector[OptionChange], scope: OptionScope): Unit = {
    val (kind, id) = columns(scope)
    val outcome = database.write(OptionWriter.Attempted) { session =>
      val version = snapshots.versionIn(session)
      LakeVersions.checkWritable(version)
      val statements = new OptionStatements(new WriteSql(database.dialect, version))
      statements.set(changes, kind, id).foreach(session.execute)
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
