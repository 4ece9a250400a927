package ducklake.catalog.change

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FlushSql
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.WriteSql
import ducklake.catalog.types.LakeType

/** A flush: files begin with the oldest snapshot that they tell of, and what they hold leaves the
  * catalog. Inlined tables stay, empty ones too: sessions of other engines know them.
  *
  * Source: DuckDB 1.5.5 (format 7.5); ours, decision 0008.
  */
private[change] final class FlushStatements(sql: WriteSql, dialect: Dialect) {
  import FlushStatements.leaves

  private val files = new FileStatements(sql)
  private val flush = new FlushSql(dialect)

  def flush(
      plan: CommitPlan,
      operation: Operation.FlushInlined,
      context: CommitContext,
  ): CommitPlan = {
    val table = operation.table
    val added = operation.rows
      .flatMap(rows => rows.files.map(file => (file, leaves(rows.columns, table.columns))))
    val withFiles = added.foldLeft(plan) { case (done, (file, types)) =>
      dataFile(done, table, file, types)
    }
    val dated = added.map(_._1).zipWithIndex.flatMap { case (file, index) =>
      file.deletes.map(DataFileId(plan.nextFileId + index) -> _)
    }
    val all = operation.deletes.map(deletes => deletes.dataFile -> deletes.file) ++ dated
    val withDeletes = all.foldLeft(replaced(withFiles, operation.deletes, context)) {
      case (done, (dataFile, file)) => deleteFile(done, table, dataFile, file)
    }
    recorded(withDeletes.run(removals(operation)).run(grown(table, added.map(_._1))), operation)
  }

  private def dataFile(
      plan: CommitPlan,
      table: LakeTable,
      file: FlushedFile,
      leaves: Map[ColumnId, LakeType.Primitive],
  ): CommitPlan = {
    val partition = table.partition.filter(_.keys.nonEmpty).map(_.id)
    val numbered = NumberedFile(plan.nextFileId, None, file.file)
    plan
      .copy(nextFileId = plan.nextFileId + 1)
      .run(files.add(FileSnapshots.of(file.span), table.id, partition, leaves, Vector(numbered)))
  }

  private def deleteFile(
      plan: CommitPlan,
      table: LakeTable,
      dataFile: DataFileId,
      file: SnapshotDeleteFile,
  ): CommitPlan = {
    val deletes = NewDeleteFile(
      dataFile,
      None,
      file.path,
      file.deleteCount,
      file.sizeBytes,
      file.footerSize,
    )
    plan
      .copy(nextFileId = plan.nextFileId + 1)
      .run(
        files.addDeletes(FileSnapshots.of(file.span), table.id, plan.nextFileId, Vector(deletes))
      )
  }

  /** Older delete files would overlap with the one that tells all: they go at once, as DuckDB's do. */
  private def replaced(
      plan: CommitPlan,
      deletes: Vector[FlushedDeletes],
      context: CommitContext,
  ): CommitPlan = {
    val gone = deletes.flatMap(_.replaces)
    plan
      .run(flush.removeDeleteFiles(gone.map(_._1)))
      .run(
        sql.insert(
          MetadataSchema.ScheduledForDeletion,
          gone.map { case (id, path) =>
            Vector[Bind](
              Bind.Number(id.value),
              Bind.Text(path.text),
              Bind.Flag(path.isRelative),
              Bind.Moment(context.now),
            )
          },
        )
      )
  }

  private def removals(operation: Operation.FlushInlined): Vector[Sql] =
    operation.rows.map(rows => flush.removeVersions(rows.inlinedTable, operation.upTo)) ++
      operation.deletesTable.map(flush.removeDeletes(_, operation.upTo))

  private def grown(table: LakeTable, added: Vector[FlushedFile]): Option[Sql] =
    Option.when(added.nonEmpty)(flush.growTable(table.id, added.map(_.file.sizeBytes).sum))

  /** DuckDB tells of a flush only when rows were flushed; told always, its sessions do not delete in the
    * catalog what a file deletes by then. And beside an insert they write no delete file either: of one
    * that is as old as the first delete they would not know (format 4.6).
    */
  private def recorded(plan: CommitPlan, operation: Operation.FlushInlined): CommitPlan = {
    val id = operation.table.id.value
    val flushed = plan.withChange(ChangeKind.Flush, id)
    if (operation.deletes.isEmpty) flushed
    else
      flushed.withPeerEntry(ChangeKind.DeletedFrom, id).withPeerEntry(ChangeKind.InsertedInto, id)
  }
}

private object FlushStatements {

  /** The types whose texts the statistics of a file are in: those of its rows, but single precision
    * as it is today, for a text of its own would not be exact.
    */
  def leaves(
      ofFile: Vector[Column],
      today: Vector[Column],
  ): Map[ColumnId, LakeType.Primitive] = {
    val now = LeafColumns.of(today)
    LeafColumns.of(ofFile).map {
      case (id, LakeType.Float32) => id -> now.getOrElse(id, LakeType.Float32)
      case (id, earlier) => id -> earlier
    }
  }
}
