package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.MappingRows
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.change.statistics.StatsMerge
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.TableId

/** Statements that register existing files. An existing name mapping of the table is reused. New
  * mappings and files share one sequence of ids; the mappings come first.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_add_data_files (format 12).
  */
private[statement] final class RegisterStatements(sql: WriteSql) {
  private val files = new FileStatements(sql)

  def register(
      plan: CommitDraft,
      register: Operation.RegisterFiles,
      context: CommitContext,
  ): CommitDraft =
    if (register.files.isEmpty) plan
    else {
      val target = AppendTarget.of(plan, register.target, context)
      val mapped = mappings(plan, target.id, register.mappings, context)
      val numbered = number(register.files, mapped, target)
      val statistics = register.total.map(StatsMerge.addTotal(target.before, _, target.leaves))
      val added = mapped.plan
        .copy(
          nextFileId = mapped.plan.nextFileId + register.files.size,
          statistics = mapped.plan.statistics ++ statistics.map(target.id -> _),
          files = mapped.plan.files ++ numbered.map(one => one.file.path -> DataFileId(one.id)),
        )
        .run(files.add(target.id, numbered))
      withDeletes(added, target.id, deletesOf(register.files, numbered))
        .withChange(ChangeKind.InsertedInto, target.id.value)
    }

  private def deletesOf(
      registered: Vector[RegisteredFile],
      numbered: Vector[NumberedFile],
  ): Vector[NewDeleteFile] =
    registered.zip(numbered).flatMap { case (file, own) =>
      file.deletes.map { deletes =>
        val id = DataFileId(own.id)
        NewDeleteFile(id, Vector.empty, deletes.path, deletes.deleteCount, deletes.physical)
      }
    }

  /** The bounds of the files need not be values of rows that are left. */
  private def withDeletes(
      plan: CommitDraft,
      table: TableId,
      deletes: Vector[NewDeleteFile],
  ): CommitDraft =
    if (deletes.isEmpty) plan
    else files.withDeletes(plan.copy(thinned = plan.thinned + table), table, deletes)

  private def number(
      added: Vector[RegisteredFile],
      mapped: RegisterStatements.Mapped,
      target: AppendTarget,
  ): Vector[NumberedFile] = {
    val entry = target.entry(mapped.plan.at)
    val firstRowId = target.before.fold(0L)(_.nextRowId)
    val rowIds = added.scanLeft(firstRowId)(_ + _.recordCount)
    added.zip(rowIds).zipWithIndex.map { case ((file, rowId), index) =>
      NumberedFile(
        mapped.plan.nextFileId + index,
        Some(rowId),
        file.data,
        Some(Registered(file.path, file.mapping.map(mapped.ids))),
        entry,
      )
    }
  }

  /** The id of each mapping. New mappings are inserted. */
  private def mappings(
      plan: CommitDraft,
      table: TableId,
      wanted: Vector[Vector[MappedColumn]],
      context: CommitContext,
  ): RegisterStatements.Mapped = {
    val known = context.tables.get(table).toVector.flatMap(_.mappings)
    wanted.foldLeft(RegisterStatements.Mapped(plan, Vector.empty)) { (done, columns) =>
      known.find(_.columns == columns) match {
        case Some(mapping) => done.copy(ids = done.ids :+ mapping.id)
        case None =>
          val id = MappingId(done.plan.nextFileId)
          val next = done.plan.copy(nextFileId = id.value + 1).run(insert(id, table, columns))
          RegisterStatements.Mapped(next, done.ids :+ id)
      }
    }
  }

  private def insert(id: MappingId, table: TableId, columns: Vector[MappedColumn]): Vector[Sql] =
    sql.insertRow(MetadataSchema.ColumnMapping)(
      "mapping_id" -> Bind.Number(id.value),
      "table_id" -> Bind.Number(table.value),
      "type" -> Bind.Text("map_by_name"),
    ) +: sql.insert(MetadataSchema.NameMapping, MappingRows.of(columns))(
      "mapping_id" -> (_ => Bind.Number(id.value)),
      "column_id" -> (row => Bind.Number(row.number)),
      "source_name" -> (row => Bind.Text(row.column.sourceName)),
      "target_field_id" -> (row => Bind.Number(row.column.target.value)),
      "parent_column" -> (row => Bind.of(row.parent)),
      "is_partition" -> (row => Bind.Flag(row.column.isPartition)),
    )
}

private object RegisterStatements {

  /** @param ids the ids of the mappings of the operation, in order */
  final case class Mapped(plan: CommitDraft, ids: Vector[MappingId])
}
