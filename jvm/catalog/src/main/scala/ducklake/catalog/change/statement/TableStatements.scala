package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.WriteRecord
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.MoveRecord
import ducklake.catalog.option.OptionScope
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinableTypes
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TableId
import ducklake.catalog.types.text.OptionText

/** Statements that create, drop and alter tables. Source: DuckDB 1.5.5 (format 15). */
private[statement] final class TableStatements(
    sql: WriteSql,
    dialect: Dialect,
    version: FormatVersion,
) {
  private val tags = new TagStatements(sql)
  private val columns = new ColumnStatements(sql)
  private val layout = new LayoutStatements(sql)
  private val inlined = new InlinedStatements(sql, dialect, version)
  private val options = new OptionStatements(sql)

  def create(
      plan: CommitDraft,
      create: Operation.CreateTable,
      context: CommitContext,
  ): CommitDraft = {
    val id = TableId(plan.nextCatalogId)
    val definition = create.definition
    val nodes = ColumnRowsDiff.nodes(definition.columns, Map.empty)
    val own = plan
      .copy(nextCatalogId = id.value + 1)
      .run(Vector(row(plan, id, create)))
      .run(columns.begin(id, nodes, plan.at))
      .run(create.lastColumn.toVector.flatMap(columns.reserve(id, _, plan.at)))
      .run(columns.comments(id, Vector.empty, definition.columns, plan.at))
      .run(tags.all(id.value, definition.tags, plan.at))
    val (partitioned, partition) =
      layout.partition(inlined.versioned(own, id), id, definition.partition)
    val sorted = layout.sort(partitioned, id, definition.sort)
    val withInlinedTable =
      if (inliningLimit(create, context) > 0) addInlinedTable(sorted, id, definition.columns)
      else sorted
    withInlinedTable
      .run(options.ofNewTable(id.value, create.options))
      .copy(created =
        withInlinedTable.created + (create.uuid -> CreatedTable(id, partition, definition))
      )
      .withChange(ChangeKind.CreatedTable, create.schema.path :+ definition.name)
  }

  def drop(plan: CommitDraft, table: LakeTable): CommitDraft = {
    val id = Vector(table.id.value)
    val byTable = Vector(
      MetadataSchema.Table,
      MetadataSchema.PartitionInfo,
      MetadataSchema.Column,
      MetadataSchema.ColumnTag,
      MetadataSchema.DataFile,
      MetadataSchema.DeleteFile,
      MetadataSchema.SortInfo,
    )
    plan
      .run(byTable.flatMap(sql.end(_, "table_id", id, plan.at)))
      .run(sql.end(MetadataSchema.Tag, "object_id", id, plan.at))
      .withChange(ChangeKind.DroppedTable, table.id.value)
  }

  def alter(plan: CommitDraft, alter: Operation.AlterTable, context: CommitContext): CommitDraft = {
    val before = TableDefinition.of(alter.table)
    if (alter.definition == before) plan
    else {
      val renamed = rename(plan, alter, before)
      val reshaped = reshape(renamed, alter, before, context)
      val isRename =
        alter.definition.name != before.name || alter.definition.schema != before.schema
      val rest = alter.definition.copy(name = before.name, schema = before.schema)
      if (isRename && rest == before) reshaped
      else reshaped.withChange(ChangeKind.AlteredTable, alter.table.id.value)
    }
  }

  def setOptions(plan: CommitDraft, set: Operation.SetOptions): CommitDraft = {
    val scope = set.scope match {
      case OptionScope.OfSchema(id) => OptionScope.OfSchema(plan.schema(id))
      case other => other
    }
    plan.run(options.set(set.options, scope))
  }

  def recordWrite(
      plan: CommitDraft,
      record: Operation.RecordWrite,
      context: CommitContext,
  ): CommitDraft =
    if (!plan.changesAnything) plan
    else {
      val last = WriteRecord(record.write.number, Some(context.now))
      val table = AppendTarget.of(plan, record.target, context).id
      val (key, value) = (record.write.key, last.text)
      if (context.tables.get(table).exists(_.recorded(key)))
        plan.run(Vector(options.update(key, value, table.value)))
      else plan.run(options.ofTable(key, value, table.value))
    }

  def recordMove(
      plan: CommitDraft,
      record: Operation.RecordMove,
      context: CommitContext,
  ): CommitDraft =
    if (!plan.changesAnything) plan
    else {
      val table = AppendTarget.of(plan, record.target, context).id
      val value = MoveRecord(record.origin, plan.at).value
      plan.run(options.replace(MoveRecord.Key, value, table.value))
    }

  private def rename(
      plan: CommitDraft,
      alter: Operation.AlterTable,
      before: TableDefinition,
  ): CommitDraft =
    if (alter.definition.name == before.name && alter.definition.schema == before.schema) plan
    else {
      val tables = dialect.table(MetadataSchema.Table)
      val id = alter.table.id
      val copy =
        sql"""INSERT INTO $tables (table_id, table_uuid, begin_snapshot, schema_id, table_name, path,
             |  path_is_relative)
             |SELECT table_id, table_uuid, CAST(${plan.at} AS BIGINT),
             |  CAST(${alter.definition.schema} AS BIGINT), CAST(${alter.definition.name} AS VARCHAR), path,
             |  path_is_relative
             |FROM $tables
             |WHERE table_id = $id AND end_snapshot = ${plan.at}"""
      plan
        .run(sql.end(MetadataSchema.Table, "table_id", Vector(id.value), plan.at))
        .run(Vector(copy))
        .withChange(ChangeKind.CreatedTable, alter.schema.path :+ alter.definition.name)
    }

  private def reshape(
      plan: CommitDraft,
      alter: Operation.AlterTable,
      before: TableDefinition,
      context: CommitContext,
  ): CommitDraft = {
    val id = alter.table.id
    val after = alter.definition
    val known = context.tables(id)
    val diff = ColumnRowsDiff.between(before.columns, after.columns, known.columnOrders)
    val isPartitioned = before.partition != after.partition
    val isRenamed = before.name != after.name || before.schema != after.schema
    val moved = retyped(plan, alter, known)
      .run(columns.end(id, diff.ended, plan.at))
      .run(columns.begin(id, diff.begun, plan.at))
      .run(columns.comments(id, before.columns, after.columns, plan.at))
      .run(tags.changed(id.value, before.tags, after.tags, plan.at))
    val partitioned = if (isPartitioned) layout.repartition(moved, id, after.partition) else moved
    val sorted =
      if (before.sort != after.sort) layout.resort(partitioned, id, after.sort) else partitioned
    val isPhysical = isPartitioned || isRenamed || diff.isPhysical
    val keepsInlined =
      known.inliningLimit > 0 || known.inlinedTables.nonEmpty || known.getsInlined
    val isChanged = isPartitioned || isRenamed || diff.begun.nonEmpty || diff.ended.nonEmpty
    val mended = inlined.repaired(sorted, id, context)
    val versioned = if (isChanged) inlined.versioned(mended, id) else mended
    if (isPhysical && keepsInlined) addInlinedTable(versioned, id, after.columns) else versioned
  }

  /** After a type change the next file id rises. DuckDB's sessions cache a table's bounds in the
    * old types of its columns until the next file id changes.
    */
  private def retyped(
      plan: CommitDraft,
      alter: Operation.AlterTable,
      known: TableContext,
  ): CommitDraft = {
    val before = LeafColumns.of(alter.table.columns)
    val changed = LeafColumns.of(alter.definition.columns).filter { case (id, lakeType) =>
      before.get(id).exists(_ != lakeType)
    }
    if (changed.isEmpty) plan
    else {
      val doubles = changed.filter(_._2 == LakeType.Float64).keySet
      val promoted = doubles.filter(before(_) == LakeType.Float32)
      removeBounds(plan.copy(nextFileId = plan.nextFileId + 1), alter.table.id, promoted, known)
    }
  }

  /** Removes the bounds of columns that were promoted from FLOAT to DOUBLE. The text of a FLOAT
    * reads as a slightly different DOUBLE, so DuckDB would leave out rows by these bounds.
    */
  private def removeBounds(
      plan: CommitDraft,
      id: TableId,
      promoted: Set[ColumnId],
      known: TableContext,
  ): CommitDraft = {
    val numbers = promoted.toVector.map(_.value).sorted
    val rest = known.statistics.map(all => id -> all.copy(columns = all.columns -- promoted))
    plan
      .copy(statistics = if (promoted.isEmpty) plan.statistics else plan.statistics ++ rest)
      .run(sql.deleteColumnStats(id.value, numbers) ++ sql.removeFileBounds(id.value, numbers))
  }

  private def row(plan: CommitDraft, id: TableId, create: Operation.CreateTable): Sql =
    sql.insertRow(MetadataSchema.Table)(
      "table_id" -> Bind.Number(id.value),
      "table_uuid" -> Bind.Uuid(create.uuid),
      "begin_snapshot" -> Bind.Number(plan.at.value),
      "end_snapshot" -> Bind.Absent,
      "schema_id" -> Bind.Number(plan.schema(create.schema.id).value),
      "table_name" -> Bind.Text(create.definition.name),
      "path" -> Bind.Text(create.path.text),
      "path_is_relative" -> Bind.Flag(create.path.isRelative),
    )

  /** Creates the inlined table for small inserts, unless DuckDB does not inline rows with these
    * columns.
    */
  private def addInlinedTable(
      plan: CommitDraft,
      id: TableId,
      columns: Vector[Column],
  ): CommitDraft =
    if (InlinableTypes.admit(columns, dialect, version)) inlined.create(plan, id, columns) else plan

  private def inliningLimit(create: Operation.CreateTable, context: CommitContext): Long =
    create.options
      .get(OptionRules.DataInliningRowLimit.key)
      .flatMap(OptionText.number)
      .getOrElse(context.inliningLimits.getOrElse(create.schema.id, 0L))
}
