package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.statistics.ColumnBounds
import ducklake.catalog.change.statistics.StatsMerge
import ducklake.catalog.change.statistics.TableStatistics
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.KeyRepair
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.TableId

/** Statements that add files, end files and inlined rows, and write statistics of tables.
  *
  * Source: DuckDB 1.5.5 (format 15 and 6.4).
  */
private[statement] final class DataStatements(
    sql: WriteSql,
    dialect: Dialect,
    version: FormatVersion,
) {
  private val files = new FileStatements(sql)
  private val inlined = new InlinedStatements(sql, dialect, version)

  def append(
      plan: CommitDraft,
      append: Operation.AppendFiles,
      context: CommitContext,
  ): CommitDraft =
    if (append.files.isEmpty) plan
    else {
      val target = AppendTarget.of(plan, append.target, context)
      val numbered = number(append.files, plan, target)
      val total = append.total.orElse {
        StatsMerge.total(append.files.iterator.map(_.rows), target.leaves)
      }
      val statistics = total.map(StatsMerge.addTotal(target.before, _, target.leaves))
      plan
        .copy(
          nextFileId = plan.nextFileId + append.files.size,
          statistics = plan.statistics ++ statistics.map(target.id -> _),
        )
        .run(files.add(target.id, numbered))
        .withChange(ChangeKind.InsertedInto, target.id.value)
    }

  def appendInlined(
      plan: CommitDraft,
      append: Operation.AppendInlined,
      context: CommitContext,
  ): CommitDraft =
    if (append.rows.isEmpty) plan
    else inlined.append(plan, AppendTarget.of(plan, append.target, context), append.rows, context)

  /** Gives each file its id and its first row id, in order. */
  private def number(
      added: Vector[NewDataFile],
      plan: CommitDraft,
      target: AppendTarget,
  ): Vector[NumberedFile] = {
    val entry = target.entry(plan.at)
    val firstRowId = target.before.fold(0L)(_.nextRowId)
    val rowIds = added.scanLeft(firstRowId)((rowId, file) => rowId + file.freshIds)
    added.zip(rowIds).zipWithIndex.map { case ((file, rowId), index) =>
      val rowIdStart = file.rowIds match {
        case RowIds.Fresh => Some(rowId)
        case RowIds.Embedded => None
      }
      NumberedFile(plan.nextFileId + index, rowIdStart, file, registered = None, entry)
    }
  }

  def delete(
      plan: CommitDraft,
      delete: Operation.DeleteRows,
      context: CommitContext,
  ): CommitDraft = {
    val id = delete.table.id
    val ended = delete.endedFiles.map(_.value)
    val fromFiles = plan
      .copy(thinned = plan.thinned + id)
      .run(sql.end(MetadataSchema.DataFile, "data_file_id", ended, plan.at))
      .run(
        sql.end(
          MetadataSchema.DeleteFile,
          "delete_file_id",
          delete.deleteFiles.flatMap(_.replaces).map(_.value),
          plan.at,
        )
      )
    val filed = files.withDeletes(fromFiles, id, delete.deleteFiles)
    val done = if (delete.touchesCatalog) inlined.delete(filed, delete, context) else filed
    recorded(done, delete)
  }

  /** Records the changes, and peer entries for what DuckDB's own conflict rules miss (format 4.6).
    * DuckDB's compactions and delete files would bring back rows that have inlined deletes; its
    * inlined deletes would bring back rows of a delete file; and its change feed would lose the
    * inlined deletes of a data file that ended.
    */
  private def recorded(plan: CommitDraft, delete: Operation.DeleteRows): CommitDraft = {
    val id = delete.table.id.value
    val ofFiles =
      if (delete.touchesFiles)
        plan.withChange(ChangeKind.DeletedFrom, id).withPeerEntry(ChangeKind.InlinedDelete, id)
      else plan
    val ofCatalog =
      if (delete.touchesCatalog) ofFiles.withChange(ChangeKind.InlinedDelete, id) else ofFiles
    if (delete.inlinedDeletes.nonEmpty)
      ofCatalog.withPeerEntry(ChangeKind.DeletedFrom, id).withPeerEntry(ChangeKind.InsertedInto, id)
    else ofCatalog
  }

  def truncate(plan: CommitDraft, table: LakeTable, context: CommitContext): CommitDraft = {
    val known = context.tables(table.id)
    val id = table.id.value
    val begun = plan.copy(thinned = plan.thinned + table.id)
    val emptied =
      if (known.liveFiles == 0) begun
      else
        begun
          .run(sql.end(MetadataSchema.DataFile, "table_id", Vector(id), plan.at))
          .withChange(ChangeKind.DeletedFrom, id)
          .withPeerEntry(ChangeKind.InlinedDelete, id)
    if (known.liveInlined.isEmpty) emptied
    else
      emptied
        .run(known.liveInlined.map(sql.endInlined(_, plan.at)))
        .withChange(ChangeKind.InlinedDelete, id)
  }

  /** DuckDB's sessions keep statistics while the next file id stays the same (format 4.3), and read
    * them again when it changes. `changes_made` has no entry for this operation: no row is changed,
    * and every other commit reads the statistics in its own transaction.
    */
  def recompute(
      plan: CommitDraft,
      recompute: Operation.RecomputeStatistics,
      context: CommitContext,
  ): CommitDraft =
    context.tables.get(recompute.table.id).flatMap(_.recomputed) match {
      case Some(found) if found.before != found.after =>
        plan
          .copy(nextFileId = plan.nextFileId + 1)
          .run(changedStatistics(recompute.table.id, found.before, found.after))
      case _ => plan
    }

  /** As [[recompute]]: no row is changed, and the next file id rises so that sessions read anew. */
  def repair(plan: CommitDraft, table: LakeTable, keys: Vector[KeyRepair]): CommitDraft =
    plan
      .copy(nextFileId = plan.nextFileId + 1)
      .run(for {
        repair <- keys
        (value, files) <- repair.values
        statement <- sql
          .setPartitionValue(table.id.value, repair.key.index, value, files.map(_.value))
      } yield statement)

  /** Writes the table statistics of all tables that got rows. The bounds of tables that lost rows
    * do not change, and need not be values of rows any more.
    */
  def statistics(plan: CommitDraft, context: CommitContext): CommitDraft = {
    val written =
      plan.statistics.toVector.sortBy(_._1.value).foldLeft(plan) { case (done, (id, after)) =>
        done.run(context.tables.get(id).flatMap(_.statistics) match {
          case None => firstStatistics(id, after)
          case Some(before) => changedStatistics(id, before, after)
        })
      }
    written.run(plan.thinned.toVector.sortBy(_.value).flatMap(sql.boundsMayBeGone))
  }

  private def firstStatistics(id: TableId, after: TableStatistics): Vector[Sql] =
    sql.insertRow(MetadataSchema.TableStats)(
      "table_id" -> Bind.Number(id.value),
      "record_count" -> Bind.of(after.recordCount),
      "next_row_id" -> Bind.Number(after.nextRowId),
      "file_size_bytes" -> Bind.Number(after.fileSizeBytes),
    ) +: insertColumns(id, after.columns)

  /** All changed rows are deleted and inserted together, because one UPDATE for each column would
    * be slow for wide tables.
    */
  private def changedStatistics(
      id: TableId,
      before: TableStatistics,
      after: TableStatistics,
  ): Vector[Sql] = {
    val changed = (before.columns.keySet ++ after.columns.keySet)
      .filter(c => before.columns.get(c) != after.columns.get(c))
    val own =
      sql.updateTableStats(id.value, after.recordCount, after.nextRowId, after.fileSizeBytes)
    own +: (sql.deleteColumnStats(id.value, changed.toVector.map(_.value).sorted) ++
      insertColumns(id, after.columns.filter { case (column, _) => changed(column) }))
  }

  private def insertColumns(id: TableId, columns: Map[ColumnId, ColumnBounds]): Vector[Sql] =
    sql.insert(MetadataSchema.TableColumnStats, columns.toVector.sortBy(_._1.value))(
      "table_id" -> (_ => Bind.Number(id.value)),
      "column_id" -> (column => Bind.Number(column._1.value)),
      "contains_null" -> (column => Bind.ofFlag(column._2.containsNull)),
      "contains_nan" -> (column => Bind.ofFlag(column._2.containsNan)),
      "min_value" -> (column => Bind.ofText(column._2.min)),
      "max_value" -> (column => Bind.ofText(column._2.max)),
      "extra_stats" -> (_ => Bind.Absent),
      "min_is_exact" -> (column => Bind.ofFlag(column._2.minIsExact)),
      "max_is_exact" -> (column => Bind.ofFlag(column._2.maxIsExact)),
    )
}
