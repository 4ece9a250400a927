package ducklake.catalog.commit

import ducklake.catalog.change.statement.OptionStatements
import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.commit.transaction.RepeatableTransaction
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.write.WriteSql

/** Gives names to snapshots, and takes them back. Each change is a transaction that takes turns
  * with commits and with the steps of an expiry, and makes no snapshot.
  *
  * Source: ours, decision 13.
  */
private[catalog] final class SnapshotNames(
    database: Database,
    snapshots: SnapshotReader,
    retry: RetryPolicy,
) {
  private val transaction = new RepeatableTransaction(database, retry, "name a snapshot")

  /** Whether the lake has the snapshot; otherwise nothing is changed. A snapshot may get the name
    * that it has already.
    *
    * Errors: InvalidArgument when another snapshot has the name; Unsupported for a lake of a
    * version that is not written; those of [[RepeatableTransaction]].
    */
  def keep(named: NamedSnapshot): Boolean =
    transaction.inTurn { session =>
      found(session, named.name).filter(_.id != named.id).foreach { other =>
        throw failed("keep_snapshot", s"is the name of snapshot ${other.id.value} already")
      }
      val isThere = snapshots.isIn(session, named.id)
      if (isThere) set(session, named.option)
      isThere
    }

  /** Errors: InvalidArgument when no snapshot has the name; as [[keep]]. */
  def release(name: String): Unit = {
    var wasThere = false // an attempt of unknown outcome may have removed it
    transaction.inTurn { session =>
      wasThere ||= found(session, name).nonEmpty
      if (!wasThere) throw failed("release_snapshot", s"is the name of no snapshot: $name")
      set(session, OptionChange(NamedSnapshot.key(name), None))
    }
  }

  private def found(session: WriteSession, name: String): Option[NamedSnapshot] =
    snapshots.namedIn(session).find(_.name == name)

  private def set(session: WriteSession, change: OptionChange): Unit = {
    val version = snapshots.versionIn(session)
    LakeVersions.checkWritable(version)
    new OptionStatements(new WriteSql(database.dialect, version))
      .set(Vector(change), OptionScope.Global)
      .foreach(session.execute)
  }

  private def failed(procedure: String, why: String): LakeException =
    new LakeException(LakeError.InvalidArgument(procedure, "name", why))
}
