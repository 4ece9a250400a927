package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.statistics.AddedRows
import ducklake.catalog.change.statistics.InlinedStatistics
import ducklake.catalog.change.statistics.StatsMerge
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RepeatedRowIds
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.MissingSchemaVersionSql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TableId

/** Statements on inlined rows and inlined deletes. Source: DuckDB 1.5.5 (format 6.6, 7.2, 7.4). */
private[statement] final class InlinedStatements(
    sql: WriteSql,
    dialect: Dialect,
    version: FormatVersion,
) {
  private val missing = new MissingSchemaVersionSql(dialect, version)

  def append(
      plan: CommitDraft,
      target: AppendTarget,
      rows: Vector[NewInlinedRow],
      context: CommitContext,
  ): CommitDraft = {
    val (ready, name) = tableFor(plan, target, context)
    val first = target.before.fold(0L)(_.nextRowId)
    val freshRank = rows.scanLeft(0L)((rank, row) => if (row.rowId.isEmpty) rank + 1 else rank)
    val stored = rows.zip(freshRank).map { case (row, rank) =>
      val own = Vector(Bind.Number(row.rowId.getOrElse(first + rank)), Bind.Number(plan.at.value))
      (own :+ Bind.Absent) ++ row.values.zip(target.columns).map(value)
    }
    val added = AddedRows(
      rows.size.toLong,
      freshRank.last,
      sizeBytes = 0L,
      InlinedStatistics.of(target.columns, rows.map(_.values)),
    )
    val after = StatsMerge.add(target.before, added, target.leaves)
    ready
      .copy(statistics = ready.statistics + (target.id -> after))
      .run(sql.insertInlined(name, stored))
      .withChange(ChangeKind.InlinedInsert, target.id.value)
  }

  private def value(of: (Literal, Column)): Sql = {
    val (literal, column) = of
    dialect
      .inlinedValue(literal, column)
      .getOrElse(throw new IllegalArgumentException(s"column ${column.name} cannot be inlined"))
  }

  /** The inlined table with the table's columns in this commit: the inlined table that this commit
    * created, else the newest existing one, else a new one.
    */
  private def tableFor(
      plan: CommitDraft,
      target: AppendTarget,
      context: CommitContext,
  ): (CommitDraft, String) =
    plan.inlinedTables
      .get(target.id)
      .orElse(context.tables.get(target.id).flatMap(_.currentInlinedTable))
      .map(name => (plan, name))
      .getOrElse {
        val recorded = versioned(repaired(plan, target.id, context), target.id)
        val made = create(recorded, target.id, target.columns)
        (made, made.inlinedTables(target.id))
      }

  /** Records the schema version of an inlined table when DuckDB omitted it, so that DuckDB reads
    * all columns of its rows.
    */
  def repaired(plan: CommitDraft, id: TableId, context: CommitContext): CommitDraft =
    context.tables.get(id).filter(_.hasMissingVersion).fold(plan) { known =>
      val ofRows = known.inlinedTables.map { case (name, schemaVersion) =>
        missing.insertOfRows(id, name, schemaVersion)
      }
      plan.run(missing.insertOfSnapshots(Some(id)) +: ofRows)
    }

  /** Creates the inlined table for these columns. */
  def create(plan: CommitDraft, id: TableId, columns: Vector[Column]): CommitDraft = {
    val name = s"ducklake_inlined_data_${id.value}_${plan.schemaVersion}"
    val declared = columns.flatMap(c => dialect.inlinedType(c).map(c.name -> _))
    val registered = sql.insertRow(MetadataSchema.InlinedDataTables)(
      "table_id" -> Bind.Number(id.value),
      "table_name" -> Bind.Text(name),
      "schema_version" -> Bind.Number(plan.schemaVersion),
    )
    plan
      .copy(inlinedTables = plan.inlinedTables + (id -> name))
      .run(Vector(sql.createInlined(name, declared), registered))
  }

  /** Inserts a row of `ducklake_schema_versions` for the table, once per commit: the table has
    * these columns from the schema version of this commit on.
    */
  def versioned(plan: CommitDraft, id: TableId): CommitDraft =
    if (plan.versioned(id)) plan
    else {
      val row = sql.insertRow(MetadataSchema.SchemaVersions)(
        "begin_snapshot" -> Bind.Number(plan.at.value),
        "schema_version" -> Bind.Number(plan.schemaVersion),
        "table_id" -> Bind.Number(id.value),
      )
      plan.copy(versioned = plan.versioned + id).run(Vector(row))
    }

  /** Ends inlined rows, and inserts inlined deletes for positions in data files.
    *
    * Errors: Unsupported for inlined rows whose row id other rows may have, because they would end
    * together.
    */
  def delete(
      plan: CommitDraft,
      delete: Operation.DeleteRows,
      context: CommitContext,
  ): CommitDraft = {
    delete.endedInlined.find(RepeatedRowIds.contains).foreach(refuse(delete.table, _))
    val known = context.tables(delete.table.id)
    val name = InlinedSql.deletesTable(delete.table.id)
    val positions = for {
      (file, positions) <- delete.inlinedDeletes.toVector.sortBy(_._1.value)
      position <- positions
    } yield (file, position)
    plan
      .run(known.inlinedTables.flatMap { case (inlined, _) =>
        sql.endInlinedRows(inlined, delete.endedInlined, plan.at)
      })
      .run(
        Option.when(positions.nonEmpty && !known.hasInlinedDeletes)(sql.createInlinedDeletes(name))
      )
      .run(sql.insertInlinedDeletes(name, positions, plan.at))
  }

  private def refuse(table: LakeTable, rowId: Long): Nothing =
    throw new LakeException(
      LakeError.Unsupported(
        s"Deleting or updating a row of ${table.qualifiedName} that the catalog keeps, and whose row " +
          s"id $rowId other rows may have too,",
        "Call flush_inlined_data for the table first.",
      )
    )
}
