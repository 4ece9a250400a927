package ducklake.catalog.commit

import ducklake.catalog.change.operation.NumberedWrite
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.operation.TableNeed
import ducklake.catalog.change.operation.VersionKey
import ducklake.catalog.change.statement.CommitContext
import ducklake.catalog.change.statement.LateEnd
import ducklake.catalog.change.statement.TableContext
import ducklake.catalog.change.statistics.ColumnBounds
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.change.statistics.RecomputedStatistics
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.InlinedTable
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.Snapshot
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope
import ducklake.catalog.read.file.KeptBoundsReader
import ducklake.catalog.read.file.MappingRow
import ducklake.catalog.read.inlined.InlinedTableColumns
import ducklake.catalog.read.inlined.InlinedTables
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.query.KeptSql
import ducklake.catalog.sql.write.FlushSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.text.OptionText

/** Reads the [[CommitContext]] of a commit, in the transaction of the commit. */
private[commit] final class CommitContextReader(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
    options: Vector[LakeOption],
) {
  private val sql = new CommitSql(dialect)
  private val inlinedSql = new InlinedSql(dialect, version)
  private val flushSql = new FlushSql(dialect, version)

  def context(head: Snapshot, pending: PendingCommit): CommitContext =
    CommitContext(
      head,
      session.now(),
      pending.tables.map(table => table.id -> tableContext(table, pending)).toMap,
      pending.createsIn.map(schema => schema -> inliningLimit(None, schema, pending)).toMap,
    )

  private def tableContext(table: LakeTable, pending: PendingCommit): TableContext = {
    val own = pending.operations.filter(_.existing.exists(_.id == table.id))
    val needs: Set[TableNeed] = own.flatMap(_.needs).toSet
    val shapeOfInlined = own.flatMap(_.inlinedColumns).headOption
    val inlined = if (needs(TableNeed.InlinedTables)) inlinedTables(table.id) else Vector.empty
    val versions = inlined.lastOption.map(versionsOf(table.id, _))
    val ends = own.collect { case flush: Operation.FlushInlined => flush }.flatMap(lateEnds)
    TableContext(
      statistics = if (needs(TableNeed.Statistics)) statistics(table, valued(own)) else None,
      inlinedTables = inlined.map(table => table.name -> table.schemaVersion),
      currentInlinedTable = shapeOfInlined.flatMap(current(table.id, versions, _)),
      hasMissingVersion = versions.exists(!_.isRecorded),
      getsInlined = shapeOfInlined.nonEmpty,
      hasInlinedDeletes = (needs(TableNeed.InlinedDeletes) || ends.nonEmpty) &&
        session.hasTable(InlinedSql.deletesTable(table.id)),
      inliningLimit = inliningLimit(Some(table.id), table.schema.id, pending),
      columnOrders = if (needs(TableNeed.ColumnOrders)) orders(table.id) else Map.empty,
      liveFiles = if (needs(TableNeed.LiveRows)) count(sql.countLiveFiles(table.id)) else 0L,
      liveInlined =
        if (needs(TableNeed.LiveRows))
          inlined.map(_.name).filter(name => count(inlinedSql.countLive(name)) > 0)
        else Vector.empty,
      mappings = if (needs(TableNeed.Mappings)) mappings(table.id) else Vector.empty,
      recomputed = own.flatMap(_.recomputedFrom).headOption.flatMap(recomputed(table, _)),
      recorded = options.collect {
        case LakeOption(key, _, OptionScope.OfTable(table.id)) if NumberedWrite.isKey(key) => key
      }.toSet,
      lateEnds = ends,
    )
  }

  /** Reads one more than a flush may have. Another flush may have removed an inlined table:
    * [[ducklake.catalog.commit.check.FlushCheck]] says so.
    */
  private def lateEnds(flush: Operation.FlushInlined): Vector[LateEnd] = {
    val present = session.tables(flush.rows.map(_.inlinedTable)).toSet
    flush.rows.filter(rows => present(rows.inlinedTable)).flatMap { rows =>
      val question = flushSql.endedSince(rows.inlinedTable, flush.upTo, LateEnd.Most + 1)
      session.query(question) { row =>
        LateEnd(VersionKey(row.long(1), SnapshotId(row.long(2))), SnapshotId(row.long(3)))
      }
    }
  }

  /** Leaf columns that get, or may get, a value other than NULL. */
  private def valued(operations: Vector[Operation]): Set[ColumnId] =
    operations.iterator
      .flatMap(_.addedStatistics)
      .flatMap(_.iterator.collect { case (id, known) if !known.valueCount.contains(0L) => id })
      .toSet

  private def mappings(table: TableId): Vector[NameMapping] =
    MappingRow
      .trees(session.query(sql.mappingsOf(table))(MappingRow.decode))
      .values
      .toVector
      .sortBy(_.id.value)

  private def count(question: Sql): Long =
    session.first(question)(_.long(1)).getOrElse(0L)

  private def inlinedTables(table: TableId): Vector[InlinedTable] =
    InlinedTables.of(session, dialect, table)

  private def versionsOf(table: TableId, newest: InlinedTable): InlinedVersion =
    session
      .first(sql.schemaVersions(table, newest.schemaVersion)) { row =>
        InlinedVersion(newest, row.longOr(1, 0L) <= newest.schemaVersion, row.longOr(2, 0L) > 0)
      }
      .getOrElse(InlinedVersion(newest, isLatest = true, isRecorded = false))

  /** The newest inlined table if rows of today's schema may be appended to it: it has the same
    * columns and types, and its schema version is recorded in ducklake_schema_versions. Its columns
    * differ when the table was altered while inlining was off.
    */
  private def current(
      table: TableId,
      version: Option[InlinedVersion],
      columns: Vector[Column],
  ): Option[String] =
    version
      .filter(_.isRecorded)
      .filter(of => of.isLatest || hasShape(table, of.newest, columns))
      .map(_.newest)
      .filter(_.outdated(columns, dialect).isEmpty)
      .map(_.name)

  private def hasShape(table: TableId, inlined: InlinedTable, columns: Vector[Column]): Boolean = {
    val tableColumns = new InlinedTableColumns(session, dialect, version, table)
    def physical(of: Vector[Column]): Vector[Column] = of.map { column =>
      column.copy(
        nullsAllowed = true,
        initialDefault = None,
        default = None,
        comment = None,
        children = physical(column.children),
      )
    }
    physical(tableColumns.of(inlined)) == physical(columns)
  }

  private def orders(table: TableId): Map[ColumnId, Long] =
    session
      .query(sql.columnOrders(table)) { row =>
        ColumnId(row.long(1)) -> row.longOr(2, row.long(1))
      }
      .toMap

  private def recomputed(table: LakeTable, kept: KeptBounds): Option[RecomputedStatistics] =
    statistics(table, Set.empty).map { before =>
      val reader = new KeptBoundsReader(session, dialect, version, table)
      val bounds = kept.columns.and(reader.since(Some(kept)), LeafColumns.of(table.columns))
      val ofOneType = session
        .query(new KeptSql(dialect, version).columnsOfOneType(table.id))(row =>
          ColumnId(row.long(1))
        )
        .toSet
      RecomputedStatistics.of(before, bounds, reader.rows(), ofOneType, version.hasExactBounds)
    }

  /** The limit of the table, else of the schema, else of the lake, else of the catalog settings. */
  private def inliningLimit(
      table: Option[TableId],
      schema: SchemaId,
      pending: PendingCommit,
  ): Long =
    LakeOption
      .inForce(options, OptionRules.DataInliningRowLimit.key, schema, table)
      .flatMap(option => OptionText.number(option.value))
      .getOrElse(pending.inliningRowLimit)

  /** The table statistics; None for a table that never had a row.
    *
    * @param columnsWithValues columns for which the commit adds values other than NULL
    */
  private def statistics(
      table: LakeTable,
      columnsWithValues: => Set[ColumnId],
  ): Option[TableStatistics] = {
    val totals = session.first(sql.tableStatistics(table.id)) { row =>
      (row.longOption(1), row.long(2), row.longOr(3, 0L))
    }
    totals.map { case (records, nextRowId, bytes) =>
      TableStatistics(records, nextRowId, bytes, columns(table, columnsWithValues))
    }
  }

  /** Statistics of all columns. For a column without bounds, the statistics of all files are
    * scanned to find out whether it ever had a value. This happens only when the commit adds values
    * to the column: the merged statistics need bounds, otherwise the column loses its entry.
    */
  private def columns(
      table: LakeTable,
      columnsWithValues: => Set[ColumnId],
  ): Map[ColumnId, ColumnBounds] = {
    val rows = session
      .query(sql.columnStatistics(table.id, version)) { row =>
        ColumnId(row.long(1)) -> ColumnBounds(
          row.booleanOption(2),
          row.booleanOption(3),
          row.textOption(4),
          row.textOption(5),
          row.booleanOption(6),
          row.booleanOption(7),
          isEmpty = false,
        )
      }
      .toMap
    val leaves = LeafColumns.of(table.columns)
    val unbounded = rows.collect {
      case (id, ColumnBounds(_, _, None, None, _, _, _))
          if leaves.get(id).exists(TypeTraits.of(_).hasBounds) =>
        id
    }.toSet
    val asked = if (unbounded.isEmpty) unbounded else unbounded.intersect(columnsWithValues)
    if (asked.isEmpty) rows
    else {
      val empty = neverHadValues(table.id).intersect(asked)
      rows.map { case (id, bounds) => id -> bounds.copy(isEmpty = empty(id)) }
    }
  }

  /** Columns that have only NULL by the value counts of every file. Missing bounds alone do not
    * prove it.
    */
  private def neverHadValues(table: TableId): Set[ColumnId] = {
    val inlinedRows = inlinedTables(table).map(one => count(inlinedSql.countAll(one.name)))
    if (inlinedRows.exists(_ > 0)) Set.empty
    else {
      val files = session.first(sql.countFiles(table))(_.long(1)).getOrElse(0L)
      session
        .query(sql.valuesOf(table))(row => (ColumnId(row.long(1)), row.long(2), row.long(3)))
        .collect {
          case (id, filesWithStatistics, withValues)
              if filesWithStatistics == files && withValues == 0 =>
            id
        }
        .toSet
    }
  }
}

/** The newest inlined table of a table.
  *
  * @param isLatest whether the table has no later schema version
  * @param isRecorded whether ducklake_schema_versions has a row for its schema version. DuckDB 1.5
  *   omits the row for inlined tables that it creates during an INSERT, and then reads the table
  *   with the columns of the first version
  */
private final case class InlinedVersion(
    newest: InlinedTable,
    isLatest: Boolean,
    isRecorded: Boolean,
)
