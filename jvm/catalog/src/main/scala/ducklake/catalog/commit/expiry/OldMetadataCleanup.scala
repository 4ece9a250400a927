package ducklake.catalog.commit.expiry

import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.OldInlinedTable
import ducklake.catalog.model.OldMetadata
import ducklake.catalog.model.OldMetadataScope
import ducklake.catalog.model.OldRows
import ducklake.catalog.model.OldShapes
import ducklake.catalog.model.Snapshot
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.sql.write.OldMetadataSql
import ducklake.catalog.types.TableId
import org.slf4j.LoggerFactory

/** Removes metadata that nothing needs and that no expiry removes, in short transactions. No
  * snapshot is made, and what snapshots show stays the same.
  *
  * Source: ours, decision 13.
  */
private[catalog] final class OldMetadataCleanup(database: Database, version: FormatVersion) {
  import OldMetadataCleanup.*

  private val expiry = new ExpirySql(database.dialect)
  private val sql = new OldMetadataSql(database.dialect, version)
  private val log = LoggerFactory.getLogger(classOf[OldMetadataCleanup])

  /** Errors: Unsupported for a version that is not written; those of the database. */
  def plan(scope: OldMetadataScope): OldMetadata = {
    LakeVersions.checkWritable(version)
    val tables = database.consistent("read the inlined tables")(inlinedTables)
    val past = tables.past
    val filled = past.grouped(NamesPerQuestion).flatMap(withRows).toSet
    val empty = scope match {
      case OldMetadataScope.Rows => Vector.empty
      case OldMetadataScope.RowsAndInlinedTables => past.filterNot(one => filled(one.name))
    }
    val kept = database.consistent("read the snapshots")(SnapshotRanges.read(_, expiry))
    val staying = tables.owned.diff(empty)
    val shapes = new OldShapesSearch(database, sql, kept).run(
      staying.groupMap(_.table)(_.schemaVersion).view.mapValues(_.toSet).toMap,
      staying.grouped(NamesPerQuestion).flatMap(some => tablesWithRows(some)).toSet,
    )
    val rows = counts(shapes) ++ ofInlined(tables.ownerless ++ empty)
    OldMetadata(
      rows.groupMapReduce(_.table)(_.rows)(_ + _).toVector.sorted.collect {
        case (table, count) if count > 0 => OldRows(table, count)
      },
      tables.ownerless,
      empty,
      shapes,
    )
  }

  /** Errors: those of the database; CommitConflict when the lake was replaced by another. After the
    * first step the error is MaintenanceIncomplete; the steps before it stay done.
    */
  def run(old: OldMetadata, snapshots: SnapshotReader, retry: RetryPolicy, head: Snapshot): Unit = {
    val steps = new ShortTransactions(database, snapshots, retry, "remove old metadata", head)
    steps.whole("cleanup_old_metadata") {
      dropInlined(steps, old.ownerless)((_, some) => some)
      dropInlined(steps, old.empty) { (session, some) =>
        val filled = inlinedWithRows(session, some)
        some.filterNot(one => filled(one.name))
      }
      steps.each(old.shapes.columns)((session, some) => session.execute(sql.removeColumns(some)))
      steps.each(old.shapes.versions)((session, some) => session.execute(sql.removeVersions(some)))
      steps.each(old.shapes.partitions) { (session, some) =>
        sql.removePartitions(some).foreach(session.execute)
      }
      val sweep = new TableSweep(database, steps)
      val there = old.rows.map(_.table).toSet
      sql.conditions.filter { case (table, _) => there(table.name) }.foreach {
        case (table, condition) => sweep.run(table)(sql.remove(table, condition, _))
      }
    }
    log.info("removed {} rows of old metadata", old.rows.map(_.rows).sum)
  }

  private def dropInlined(steps: ShortTransactions, tables: Vector[OldInlinedTable])(
      stillIn: (Session, Vector[OldInlinedTable]) => Vector[OldInlinedTable]
  ): Unit =
    tables.grouped(TablesPerStep).foreach { some =>
      steps.once { session =>
        val going = stillIn(session, some).map(_.name)
        if (going.nonEmpty) session.execute(sql.unregister(going))
        session.tables(going).foreach(name => session.execute(expiry.dropTable(name)))
      }
    }

  private def counts(shapes: OldShapes): Vector[OldRows] = {
    val found = sql.conditions.map { case (table, condition) =>
      OldRows(table.name, count(sql.count(table, condition)))
    }
    found ++ Vector(
      OldRows(MetadataSchema.Column.name, shapes.columns.size.toLong),
      OldRows(MetadataSchema.SchemaVersions.name, shapes.versions.size.toLong),
      OldRows(MetadataSchema.PartitionInfo.name, shapes.partitions.size.toLong),
    ) ++ shapes.partitions.grouped(NamesPerQuestion).map { some =>
      OldRows(MetadataSchema.PartitionColumn.name, count(sql.countPartitionColumns(some)))
    }
  }

  private def count(question: Sql): Long =
    database.single("count old metadata")(_.first(question)(_.long(1))).getOrElse(0L)

  private def ofInlined(tables: Vector[OldInlinedTable]): Vector[OldRows] =
    Vector(OldRows(MetadataSchema.InlinedDataTables.name, tables.size.toLong))

  private def inlinedTables(session: Session): Registered = {
    val owners = session.query(sql.tables)(row => TableId(row.long(1))).toSet
    val all = session.query(sql.inlinedTables) { row =>
      OldInlinedTable(TableId(row.long(1)), row.text(2), row.long(3))
    }
    val (owned, ownerless) = all.partition(one => owners(one.table))
    Registered(owned, ownerless)
  }

  private def withRows(tables: Vector[OldInlinedTable]): Set[String] =
    database.single("look for inlined rows")(inlinedWithRows(_, tables))

  private def tablesWithRows(tables: Vector[OldInlinedTable]): Vector[TableId] = {
    val filled = withRows(tables)
    tables.filter(one => filled(one.name)).map(_.table)
  }

  /** The names of the inlined tables that have rows; one that does not exist has none. */
  private def inlinedWithRows(session: Session, tables: Vector[OldInlinedTable]): Set[String] =
    sql
      .withRows(session.tables(tables.map(_.name)))
      .fold(Set.empty[String])(question => session.query(question)(_.text(1)).toSet)
}

private object OldMetadataCleanup {
  private val NamesPerQuestion = 400
  private val TablesPerStep = 50

  /** The registered inlined tables.
    *
    * @param owned by table and schema version
    * @param ownerless those of tables that the catalog no longer has
    */
  private final case class Registered(
      owned: Vector[OldInlinedTable],
      ownerless: Vector[OldInlinedTable],
  ) {

    /** All but the newest of each table, into which DuckDB inserts. */
    def past: Vector[OldInlinedTable] = {
      val newest = owned.groupMapReduce(_.table)(_.schemaVersion)(_ max _)
      owned.filter(one => one.schemaVersion < newest(one.table))
    }
  }
}
