package ducklake.catalog.commit.expiry

import ducklake.catalog.change.plan.ExpiryPlan
import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.commit.migration.MissingSchemaVersions
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.model.KeptSnapshots
import ducklake.catalog.model.Lifetime
import ducklake.catalog.option.RegisteredReader
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.sql.write.FileKind
import ducklake.catalog.sql.write.LeftoverSql
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.slf4j.LoggerFactory

/** The objects that an expiry has removed from the catalog.
  *
  * @param files the files that were scheduled for deletion
  * @param tables dropped tables that no longer have any row
  */
final case class Expired(snapshots: Long, files: FileCounts, tables: Int)

/** Removes snapshots from the catalog, and then the metadata rows that no snapshot sees any more.
  * Files are scheduled for deletion, not deleted. No snapshot is made.
  *
  * DuckDB does all this in one transaction. Here it is done in steps, and the lake is consistent
  * after each step: snapshots are removed first, so that nobody reads a snapshot whose files are
  * being removed. The next expiry removes what an interrupted expiry leaves. A row that no snapshot
  * sees stays unseen, because new snapshots come only after the newest, and a rollback brings back
  * only what a kept snapshot sees. So rows are searched outside the transactions that remove them
  * (decision 13).
  *
  * Source: DuckDB 1.5.5, expire_snapshots (format 9.1).
  */
final class SnapshotExpiry(database: Database, snapshots: SnapshotReader, retry: RetryPolicy) {
  private val sql = new ExpirySql(database.dialect)
  private val leftovers = new LeftoverSql(database.dialect)
  private val log = LoggerFactory.getLogger(classOf[SnapshotExpiry])

  /** Executes the plan.
    *
    * @param dataPath the data path in use, ending in a separator
    * @param version the version of the catalog
    *
    * Errors: Unsupported for a version that is not written; those of the database; CommitConflict
    * when the lake was replaced by another; StatementInterrupted. After the first step the error is
    * MaintenanceIncomplete; the steps before it stay done.
    */
  def run(plan: ExpiryPlan, dataPath: String, version: FormatVersion): Expired = {
    LakeVersions.checkWritable(version)
    val steps = new ShortTransactions(database, snapshots, retry, "expire snapshots", plan.head)
    val expiring = new ExpiringSnapshots(
      database,
      snapshots,
      plan.criterion,
      plan.head.id,
      plan.readersSince,
      plan.inUse,
    )
    val stranded = expiring.stranded
    steps.whole("expire_snapshots") {
      val expired = run(steps, expiring, dataPath, version)
      forget(steps, stranded)
      new LeftRecords(database, leftovers, steps).remove(plan.criterion)
      expired
    }
  }

  private def run(
      steps: ShortTransactions,
      expiring: ExpiringSnapshots,
      dataPath: String,
      version: FormatVersion,
  ): Expired = {
    insertMissingVersions(steps, version)
    // A commit that brings back parts of a past snapshot checks that the snapshot exists. Either
    // the commit ends before the snapshot is removed, and the rows that it brought back are seen
    // below, or it fails.
    val count = expiring.pages.map(page => remove(steps, expiring, page)).sum
    log.info("expired {} snapshots", count)
    val kept = database.consistent("read the snapshots")(SnapshotRanges.read(_, sql))
    val (tables, others) = tablesByUse(kept)
    val unlisted = unlistedTables()
    val files = new UnseenFiles(database, sql, steps, dataPath, version)
    val scheduled = files.schedule(kept, tables ++ unlisted)
    log.info(
      "scheduled {} data files and {} delete files for deletion",
      scheduled.dataFiles,
      scheduled.deleteFiles,
    )
    new LeftInlinedDeletes(database, leftovers, steps).remove(others)
    removeTables(steps, tables ++ unlisted)
    steps.once { session =>
      sql.removeOthers(version).foreach(session.execute)
      session.execute(leftovers.removeTags)
      leftovers.removeOptions.foreach(session.execute)
    }
    log.info("removed {} dropped tables from the catalog", tables.size)
    Expired(count, scheduled, tables.size)
  }

  /** Removes snapshots, without those that have got a name or a reader since the page was read. */
  private def remove(
      steps: ShortTransactions,
      expiring: ExpiringSnapshots,
      ids: Vector[SnapshotId],
  ): Long =
    steps.sumInTurn(ids, 0L) { (session, some) =>
      val unneeded = expiring.stillIn(session, some).map(_.value)
      if (unneeded.nonEmpty) sql.removeSnapshots(unneeded).foreach(session.execute)
      unneeded.size.toLong
    }(_ + _)

  /** Forgets readers that have lost snapshots, unless they have registered since. */
  private def forget(steps: ShortTransactions, stranded: Vector[RegisteredReader]): Unit =
    if (stranded.nonEmpty) {
      stranded.foreach { reader =>
        log.warn(
          "reader {} of table {} has lost the snapshots after {}: it has not registered since {}",
          reader.name,
          reader.table.value,
          reader.read.value,
          reader.at,
        )
      }
      steps.once { session =>
        stranded.foreach { reader =>
          session.execute(leftovers.removeTableOption(reader.key, reader.table, reader.value))
        }
      }
    }

  /** Inserts schema versions that inlined rows need, while their snapshots still exist. */
  private def insertMissingVersions(steps: ShortTransactions, version: FormatVersion): Unit = {
    val missing = new MissingSchemaVersions(database.dialect, version)
    if (database.single("look for missing schema versions")(missing.areNeeded))
      steps.onceInTurn(missing.insertNeeded)
  }

  /** The tables whose rows no snapshot sees, and the other tables. A renamed table has several
    * rows.
    */
  private def tablesByUse(kept: KeptSnapshots): (Vector[TableId], Vector[TableId]) = {
    val lifetimes = database.consistent("read the dropped tables") { session =>
      session.query(sql.tableLifetimes) { row =>
        val end = row.longOption(3).map(SnapshotId(_))
        row.long(1) -> kept.isUnseen(Lifetime(SnapshotId(row.long(2)), end))
      }
    }
    lifetimes
      .groupMapReduce(_._1)(_._2)(_ && _)
      .toVector
      .sortBy(_._1)
      .partitionMap { case (id, isUnseen) => Either.cond(!isUnseen, TableId(id), TableId(id)) }
  }

  /** The tables that are not listed, but have files: a transaction of DuckDB that began before an
    * expiry may commit to a table that is gone since (decision 13).
    */
  private def unlistedTables(): Vector[TableId] = {
    val ids = database.consistent("look for files without a table") { session =>
      FileKind.all.flatMap(kind => session.query(sql.unlistedTables(kind))(_.long(1)))
    }
    ids.distinct.foreach(log.warn("table {} has files, but it is gone", _))
    ids.distinct.map(TableId(_))
  }

  private def removeTables(steps: ShortTransactions, tables: Vector[TableId]): Unit =
    tables.map(_.value).grouped(SnapshotExpiry.TablesPerStep).foreach { some =>
      steps.once { session =>
        val inlined = session.query(sql.inlinedTables(some))(_.text(1)) ++
          some.map(id => InlinedSql.deletesTable(TableId(id)))
        sql.removeTables(some).foreach(session.execute)
        session.tables(inlined).foreach(name => session.execute(sql.dropTable(name)))
      }
    }
}

private object SnapshotExpiry {
  private val TablesPerStep = 50
}
