package ducklake.catalog.commit

import ducklake.catalog.change.statement.OptionStatements
import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.commit.transaction.RepeatableTransaction
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.option.RegisteredReader
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Stores how far readers have read. Each change is a short transaction that makes no snapshot.
  *
  * Source: ours, decision 13.
  */
private[catalog] final class ReaderRegistry(
    database: Database,
    snapshots: SnapshotReader,
    retry: RetryPolicy,
) {
  import ReaderRegistry.*

  /** Registers a reader, or its new position. Does not wait for commits: an expiry that removes the
    * snapshot at the same moment does not see the reader, just as if the reader had come later.
    *
    * Errors: Unsupported for a lake of a version that is not written; those of the database.
    */
  def advance(name: String, table: TableId, read: SnapshotId): Unit =
    new RepeatableTransaction(database, retry.copy(maxCount = FewRetries), Attempted)
      .run(store(_, name, table, read))

  /** Like [[advance]], in turn with commits and with the steps of an expiry. Whether the lake has the
    * snapshot; otherwise nothing is changed.
    */
  def register(name: String, table: TableId, read: SnapshotId): Boolean =
    new RepeatableTransaction(database, retry, Attempted).inTurn { session =>
      val isThere = snapshots.isIn(session, read)
      if (isThere) store(session, name, table, read)
      isThere
    }

  /** Removes a reader.
    *
    * @param table None: of all tables
    *
    * Errors: InvalidArgument when there is no such reader; as [[advance]].
    */
  def forget(name: String, table: Option[TableId]): Unit = {
    var wasThere = false // an attempt of unknown outcome may have removed it
    new RepeatableTransaction(database, retry, "forget a reader").run { session =>
      val statements = optionsOf(session)
      val found = snapshots
        .readersIn(session)
        .filter(reader => reader.name == name && table.forall(_ == reader.table))
      wasThere ||= found.nonEmpty
      if (!wasThere) throw new LakeException(unknown(name))
      found
        .flatMap { reader =>
          statements.set(Vector(OptionChange(reader.key, None)), OptionScope.OfTable(reader.table))
        }
        .foreach(session.execute)
    }
  }

  private def store(session: WriteSession, name: String, table: TableId, read: SnapshotId): Unit = {
    val reader = RegisteredReader(name, table, read, session.now())
    optionsOf(session).replace(reader.key, reader.value, table.value).foreach(session.execute)
  }

  private def optionsOf(session: WriteSession): OptionStatements = {
    val version = snapshots.versionIn(session)
    LakeVersions.checkWritable(version)
    new OptionStatements(new WriteSql(database.dialect, version))
  }

  private def unknown(name: String): LakeError =
    LakeError.InvalidArgument("forget_reader", "name", s"is the name of no reader: $name")
}

private object ReaderRegistry {
  val Attempted = "register a reader"

  /** A stream registers again soon, and its rows do not wait for it. */
  val FewRetries = 1
}
