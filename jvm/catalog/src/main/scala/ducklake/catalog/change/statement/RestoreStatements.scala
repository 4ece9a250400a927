package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RestoredShape
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.statistics.StatsMerge
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinableTypes
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.CopiedRow
import ducklake.catalog.sql.write.OwnedRows
import ducklake.catalog.sql.write.RestoreSql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements that bring back a schema, and give a table its shape and data files of a past
  * snapshot. Source: ours, decision 12.
  */
private[statement] final class RestoreStatements(
    sql: WriteSql,
    dialect: Dialect,
    version: FormatVersion,
) {
  private val restore = new RestoreSql(dialect)
  private val inlined = new InlinedStatements(sql, dialect, version)

  /** The schema begins again under a new id, because the id is the key of its row. Its lake options
    * get this id too.
    */
  def schema(plan: CommitDraft, past: LakeSchema, at: SnapshotId): CommitDraft = {
    val (old, id) = (past.id.value, plan.nextCatalogId)
    val own = OwnedRows(MetadataSchema.Schema.at(version), "schema_id", old)
    val tags = OwnedRows(MetadataSchema.Tag, "object_id", old)
    val parent = past.parent.map(around => "parent_schema_id" -> plan.schema(around).value)
    plan
      .copy(
        nextCatalogId = id + 1,
        aliases = plan.aliases + (past.id -> SchemaId(id)),
      )
      .run(Vector(restore.again(own, at, plan.at, Map("schema_id" -> id) ++ parent)))
      .run(Vector(restore.again(tags, at, plan.at, Map("object_id" -> id))))
      .run(Vector(restore.moveOptions(past.id, SchemaId(id))))
      .withChange(ChangeKind.CreatedSchema, past.path)
  }

  def shape(
      plan: CommitDraft,
      operation: Operation.RestoreTable,
      context: CommitContext,
  ): CommitDraft = {
    val shape = operation.shape
    if (!shape.isChanged) plan
    else {
      val id = operation.past.id
      val known = context.tables(id)
      val ended = endedAtDrop(plan, operation, known)
      val reshaped = parts(shape).foldLeft(revived(ended, operation)) { case (done, (table, key)) =>
        done.run(restored(done, OwnedRows(table, key, id.value), operation))
      }
      val unfit = shape.retyped ++ RestoredShape.unfit(operation.past, known.statistics)
      val typed = retyped(reshaped, id, unfit, known)
      val versioned = if (shape.isVersioned) inlined.versioned(typed, id) else typed
      val isRoomy = shape.isVersioned && (known.inliningLimit > 0 || known.inlinedTables.nonEmpty)
      val columns = operation.past.columns
      if (isRoomy && InlinableTypes.admit(columns, dialect, version))
        inlined.create(versioned, id, columns)
      else versioned
    }
  }

  /** The metadata tables with the parts that change, each with the column of the table's id. */
  private def parts(shape: RestoredShape): Vector[(MetadataTable, String)] =
    Vector(
      shape.columns -> (MetadataSchema.Column -> "table_id"),
      shape.comments -> (MetadataSchema.ColumnTag -> "table_id"),
      shape.partition -> (MetadataSchema.PartitionInfo -> "table_id"),
      shape.sort -> (MetadataSchema.SortInfo -> "table_id"),
      shape.tags -> (MetadataSchema.Tag -> "object_id"),
    ).collect { case (true, part) => part }

  /** The rows of one metadata table: the present rows end, and the past rows begin again under
    * their ids.
    */
  private def restored(
      plan: CommitDraft,
      rows: OwnedRows,
      operation: Operation.RestoreTable,
  ): Vector[Sql] =
    sql.end(rows.table, rows.key, Vector(rows.owner), plan.at) :+
      restore.again(rows, operation.at, plan.at, Map.empty)

  /** A drop does not end the inlined rows of its table, so they end now, at the snapshot of the
    * drop. The rows that the table gets back are new rows. Otherwise the change feed would show
    * neither their deletion nor their return.
    */
  private def endedAtDrop(
      plan: CommitDraft,
      operation: Operation.RestoreTable,
      known: TableContext,
  ): CommitDraft =
    if (operation.present.nonEmpty) plan
    else
      plan.run(known.inlinedTables.map { case (name, _) =>
        sql.endInlinedAtDrop(name, operation.past.id)
      })

  /** The row of a table that was dropped or that gets its old name, in the schema with its present
    * name.
    */
  private def revived(plan: CommitDraft, operation: Operation.RestoreTable): CommitDraft = {
    val past = operation.past
    val altered =
      if (operation.present.isEmpty) plan
      else plan.withChange(ChangeKind.AlteredTable, past.id.value)
    if (!operation.shape.name) altered
    else {
      val own = OwnedRows(MetadataSchema.Table, "table_id", past.id.value)
      val schema = Map("schema_id" -> plan.schema(past.schema.id).value)
      altered
        .run(sql.end(own.table, own.key, Vector(own.owner), plan.at))
        .run(Vector(restore.again(own, operation.at, plan.at, schema)))
        .withChange(ChangeKind.CreatedTable, past.schema.path :+ past.name)
    }
  }

  /** Removes the bounds of columns that get their old type back: a bound that is not a value of the
    * old type makes every read of the table fail in DuckDB.
    */
  private def retyped(
      plan: CommitDraft,
      table: TableId,
      columns: Set[ColumnId],
      known: TableContext,
  ): CommitDraft =
    if (columns.isEmpty) plan
    else {
      val ids = columns.toVector.map(_.value).sorted
      val rest = known.statistics.map(all => table -> all.copy(columns = all.columns -- columns))
      plan
        .copy(nextFileId = plan.nextFileId + 1, statistics = plan.statistics ++ rest)
        .run(sql.deleteColumnStats(table.value, ids) ++ sql.removeFileBounds(table.value, ids))
    }

  def files(
      plan: CommitDraft,
      operation: Operation.RestoreFiles,
      context: CommitContext,
  ): CommitDraft =
    if (operation.copies.isEmpty) plan
    else {
      val target = AppendTarget.of(plan, TableTarget.Existing(operation.table), context)
      val rows = operation.copies.zipWithIndex.map { case (copy, index) =>
        CopiedRow(copy.source, plan.nextFileId + index, copy.path)
      }
      val statistics = operation.copies.foldLeft(target.before) { (known, copy) =>
        Some(StatsMerge.add(known, copy.rows, target.leaves))
      }
      plan
        .copy(
          nextFileId = plan.nextFileId + rows.size,
          statistics = plan.statistics ++ statistics.map(target.id -> _),
        )
        .run(restore.dataFiles(MetadataSchema.DataFile.at(version), rows, plan.at))
        .run(RestoreStatements.Descriptions.flatMap { table =>
          restore.described(table.at(version), target.id, rows)
        })
        .withChange(ChangeKind.InsertedInto, target.id.value)
    }
}

private object RestoreStatements {

  /** The metadata tables with rows about data files. */
  private val Descriptions: Vector[MetadataTable] = Vector(
    MetadataSchema.FileColumnStats,
    MetadataSchema.FileVariantStats,
    MetadataSchema.FilePartitionValue,
  )
}
