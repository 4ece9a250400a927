package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.FileMergeSql
import ducklake.catalog.types.DataFileId

/** Checks that the files that a merge replaces are unchanged. */
private[check] final class FileMergeCheck(session: Session, dialect: Dialect) {
  private val sql = new FileMergeSql(dialect)

  /** Why the files cannot be replaced; None when they are live and have no deletes. */
  def ofSources(merge: Operation.MergeFiles): Option[String] = {
    val inlined = Option(InlinedSql.deletesTable(merge.table.id)).filter(session.hasTable)
    Option.unless(
      merge.sources.grouped(FileMergeCheck.FilesPerQuestion).forall(areWhole(merge, _, inlined))
    )(
      s"it wants to merge files of ${merge.table.qualifiedName}, and another commit deleted their " +
        "rows or replaced them since it began"
    )
  }

  private def areWhole(
      merge: Operation.MergeFiles,
      files: Vector[DataFileId],
      inlined: Option[String],
  ): Boolean = {
    def count(question: Sql): Long = session.first(question)(_.long(1)).getOrElse(0L)
    count(sql.countLive(merge.table.id, files)) == files.size.toLong &&
    count(sql.countDeleteFiles(files)) == 0L &&
    inlined.forall(name => count(sql.countDeletes(name, files)) == 0L)
  }
}

private object FileMergeCheck {
  private val FilesPerQuestion = 5000
}
