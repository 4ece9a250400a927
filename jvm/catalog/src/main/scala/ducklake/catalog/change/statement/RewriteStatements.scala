package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql

/** Statements of a rewrite. The replaced files and their delete files end, so that past snapshots
  * can still read them. The new file embeds row ids. In the table statistics only the size changes.
  * Narrower bounds would be wrong for past snapshots, to which DuckDB applies them too. The number
  * of rows must not become exact while the bounds stay wide: DuckDB would then take the bounds for
  * the smallest and the largest value.
  *
  * Source: DuckDB 1.5.5 (format 9.5); ours, decision 15.
  */
private[statement] final class RewriteStatements(sql: WriteSql) {
  private val files = new FileStatements(sql)

  /** Also records an insert, as a peer entry. Otherwise a DuckDB session would commit inlined
    * deletes for a file that has ended, and the deletes would be lost (format 4.6).
    */
  def rewrite(plan: CommitDraft, rewrite: Operation.RewriteFiles): CommitDraft =
    if (rewrite.files.isEmpty) plan
    else {
      val id = rewrite.table.id
      val added = numbered(rewrite, plan)
      val done = plan
        .copy(nextFileId = plan.nextFileId + added.size)
        .run(files.add(id, added))
        .run(ended(rewrite, plan))
        .run(Vector(sql.growTable(id, rewrite.growth)))
        .withChange(ChangeKind.RewriteDelete, id.value)
      if (added.nonEmpty)
        done.withPeerEntry(ChangeKind.InsertedInto, id.value)
      else done
    }

  private def numbered(rewrite: Operation.RewriteFiles, plan: CommitDraft): Vector[NumberedFile] = {
    val at = FileSnapshots.at(plan.at)
    val written = rewrite.files.flatMap(one => one.file.map(one -> _))
    written.zipWithIndex.map { case ((one, file), index) =>
      val leaves = FlushStatements.leaves(one.columns, rewrite.table.columns)
      val entry = FileEntry(at, one.partition, leaves)
      NumberedFile(plan.nextFileId + index, rowIdStart = None, file, registered = None, entry)
    }
  }

  private def ended(rewrite: Operation.RewriteFiles, plan: CommitDraft): Vector[Sql] = {
    val sources = rewrite.sources.map(_.id.value)
    Vector(MetadataSchema.DataFile, MetadataSchema.DeleteFile)
      .flatMap(sql.end(_, "data_file_id", sources, plan.at))
  }
}
