package ducklake.catalog.change

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.TableId

import java.time.Instant

/** What a commit has to know of the lake, read in the transaction that makes it.
  *
  * @param head the newest snapshot: the commit becomes the next
  * @param now the database's clock
  * @param tables for the existing tables that the commit touches
  * @param inliningLimits rows that may be kept in the catalog, by schema; for tables that are created
  */
final case class CommitContext(
    head: Snapshot,
    now: Instant,
    tables: Map[TableId, TableContext],
    inliningLimits: Map[SchemaId, Long],
)

/** @param statistics None while the table never had rows
  * @param inlinedTables name and schema version, newest last
  * @param currentInlinedTable the newest of them, when it has the columns that the table has; read for
  *   tables that get inlined rows
  * @param getsInlined whether the commit puts rows of the table into the catalog
  * @param hasInlinedDeletes whether there is a table for positions that the catalog names as deleted
  * @param inliningLimit rows that may be kept in the catalog
  * @param columnOrders the stored order of live columns
  * @param liveFiles how many data files are not ended; read for tables that are truncated
  * @param liveInlined names of the inlined tables that hold live rows; read as `liveFiles`
  */
final case class TableContext(
    statistics: Option[TableStatistics],
    inlinedTables: Vector[(String, Long)],
    currentInlinedTable: Option[String],
    getsInlined: Boolean,
    hasInlinedDeletes: Boolean,
    inliningLimit: Long,
    columnOrders: Map[ColumnId, Long],
    liveFiles: Long,
    liveInlined: Vector[String],
)

/** What the catalog says of all rows that a table ever had.
  *
  * @param recordCount gross: deleted rows count
  * @param columns known columns only: the absence of a column says that nothing is known of it
  */
final case class TableStatistics(
    recordCount: Long,
    nextRowId: Long,
    fileSizeBytes: Long,
    columns: Map[ColumnId, ColumnBounds],
)

/** @param isEmpty the column is known to have had no value but NULL; asked for columns that get values
  * @param min in the statistics' spelling
  */
final case class ColumnBounds(
    containsNull: Option[Boolean],
    containsNan: Option[Boolean],
    min: Option[String],
    max: Option[String],
    isEmpty: Boolean,
)
