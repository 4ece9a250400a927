package ducklake.catalog.commit

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.statement.OptionStatements
import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.commit.transaction.RepeatableTransaction
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.write.WriteSql

/** Stores options. This creates no snapshot.
  *
  * Source: DuckDB 1.5.5, observed (format 8.5).
  */
final class OptionWriter(database: Database, snapshots: SnapshotReader, retry: RetryPolicy) {

  private val transaction = new RepeatableTransaction(database, retry, "set the option")

  /** Changes the options in one transaction, which takes turns with commits: `ducklake_metadata`
    * has no key, so two sessions that set an option at once would leave two rows. After a lost
    * connection all options have either their old or their new values, and they are set again.
    *
    * Errors: those of the database; CommitOutcomeUnknown; StatementInterrupted; Unsupported for a
    * lake of a version that is not written.
    */
  def set(changes: Vector[Operation.SetOptions]): Unit =
    transaction.inTurn { session =>
      val version = snapshots.versionIn(session)
      LakeVersions.checkWritable(version)
      val statements = new OptionStatements(new WriteSql(database.dialect, version))
      changes.flatMap(set => statements.set(set.options, set.scope)).foreach(session.execute)
    }
}
