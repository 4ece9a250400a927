package ducklake.catalog.change.statement

import ducklake.catalog.change.operation.VersionKey
import ducklake.catalog.change.statistics.RecomputedStatistics
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant

/** The state of the lake that a commit needs, read in the transaction of the commit.
  *
  * @param head the newest snapshot, after which the commit's snapshot comes
  * @param now the time of the database's clock
  * @param tables the state of the existing tables that the commit touches
  * @param inliningLimits the largest number of rows of one insert that may be kept in the catalog,
  *   by schema; for tables that the commit creates
  */
final case class CommitContext(
    head: Snapshot,
    now: Instant,
    tables: Map[TableId, TableContext],
    inliningLimits: Map[SchemaId, Long],
)

/** @param statistics None when the table never had rows
  * @param inlinedTables name and schema version, newest last
  * @param currentInlinedTable the newest inlined table, when it has the columns of the table; read
  *   for tables that get inlined rows
  * @param hasMissingVersion whether ducklake_schema_versions lacks the schema version of the newest
  *   inlined table
  * @param getsInlined whether the commit inlines rows of the table
  * @param hasInlinedDeletes whether the table of inlined deletes exists
  * @param inliningLimit the largest number of rows of one insert that may be kept in the catalog
  * @param columnOrders the stored order of live columns
  * @param liveFiles the number of live data files; read for tables that are truncated
  * @param liveInlined names of the inlined tables that hold live rows; read for tables that are
  *   truncated
  * @param mappings the name mappings of the table; read for tables that get registered files
  * @param recomputed read for tables whose statistics are recomputed; None for a table that never
  *   had a row
  * @param recorded the keys of the writers, among those of the commit, whose last write is stored with
  *   the table
  * @param lateEnds read for tables that are flushed: the versions of the flush that others ended since
  *   it read them
  */
final case class TableContext(
    statistics: Option[TableStatistics],
    inlinedTables: Vector[(String, Long)],
    currentInlinedTable: Option[String],
    hasMissingVersion: Boolean,
    getsInlined: Boolean,
    hasInlinedDeletes: Boolean,
    inliningLimit: Long,
    columnOrders: Map[ColumnId, Long],
    liveFiles: Long,
    liveInlined: Vector[String],
    mappings: Vector[NameMapping],
    recomputed: Option[RecomputedStatistics],
    recorded: Set[String],
    lateEnds: Vector[LateEnd],
)

/** A version of an inlined row, and the snapshot that deleted or replaced it. */
final case class LateEnd(version: VersionKey, end: SnapshotId)

object LateEnd {

  /** The most of them that a flush may have; each becomes an inlined delete in its commit. */
  val Most: Int = 1000
}
