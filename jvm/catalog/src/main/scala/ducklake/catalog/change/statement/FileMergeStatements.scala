package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.FileMergeSql
import ducklake.catalog.sql.write.WriteSql

/** Statements of a merge. The rows of the replaced files are removed from the catalog, also for
  * past snapshots: the new file begins with the oldest of its rows and embeds the snapshot of each
  * row. In the table statistics only the size changes, which DuckDB leaves unchanged.
  *
  * Source: DuckDB 1.5.5 (format 9.4); ours, decision 14.
  */
private[statement] final class FileMergeStatements(sql: WriteSql, dialect: Dialect) {
  private val files = new FileStatements(sql)
  private val merges = new FileMergeSql(dialect)

  /** Also records an insert, as a peer entry. Otherwise a DuckDB session would commit inlined
    * deletes for a replaced file, and the deletes would be lost (format 4.6).
    */
  def merge(plan: CommitDraft, merge: Operation.MergeFiles, context: CommitContext): CommitDraft =
    if (merge.files.isEmpty) plan
    else {
      val id = merge.table.id.value
      plan
        .copy(nextFileId = plan.nextFileId + merge.files.size)
        .run(files.add(merge.table.id, numbered(merge, plan.nextFileId)))
        .run(removed(merge, context))
        .run(Vector(sql.growTable(merge.table.id, merge.growth)))
        .withChange(ChangeKind.MergeAdjacent, id)
        .withPeerEntry(ChangeKind.InsertedInto, id)
    }

  /** @param first the id of the first file
    */
  private def numbered(merge: Operation.MergeFiles, first: Long): Vector[NumberedFile] =
    merge.files.zipWithIndex.map { case (merged, index) =>
      val leaves = FlushStatements.leaves(merged.columns, merge.table.columns)
      val entry = FileEntry(FileSnapshots.of(merged.span), merged.partition, leaves)
      NumberedFile(first + index, merged.rowIdStart, merged.file, registered = None, entry)
    }

  private def removed(merge: Operation.MergeFiles, context: CommitContext): Vector[Sql] = {
    val sources = merge.files.flatMap(_.sources)
    merges.remove(sources.map(_.id)) ++
      sql.insert(MetadataSchema.ScheduledForDeletion, sources)(
        "data_file_id" -> (source => Bind.Number(source.id.value)),
        "path" -> (source => Bind.Text(source.path.text)),
        "path_is_relative" -> (source => Bind.Flag(source.path.isRelative)),
        "schedule_start" -> (_ => Bind.Moment(context.now)),
      )
  }
}
