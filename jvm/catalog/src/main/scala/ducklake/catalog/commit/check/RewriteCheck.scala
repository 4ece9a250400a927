package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RewriteSource
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.RewriteSql
import ducklake.catalog.types.DataFileId

/** Checks that the files that a rewrite replaces have the deletes that it has applied. */
private[check] final class RewriteCheck(session: Session, dialect: Dialect) {
  private val sql = new RewriteSql(dialect)

  /** Why the files cannot be replaced; None when they are live and their deletes are the same. */
  def ofSources(rewrite: Operation.RewriteFiles): Option[String] = {
    val inlined = Option(InlinedSql.deletesTable(rewrite.table.id)).filter(session.hasTable)
    Option.unless(
      rewrite.sources.grouped(RewriteCheck.FilesPerQuestion).forall(areSame(rewrite, _, inlined))
    )(
      s"it wants to rewrite files of ${rewrite.table.qualifiedName}, and another commit deleted " +
        "their rows, flushed their deletes or replaced them since it began"
    )
  }

  private def areSame(
      rewrite: Operation.RewriteFiles,
      sources: Vector[RewriteSource],
      inlined: Option[String],
  ): Boolean = {
    val ids = sources.map(_.id)
    val live = session
      .query(sql.liveFiles(rewrite.table.id, ids))(row =>
        DataFileId(row.long(1)) -> row.longOption(2)
      )
      .groupMap(_._1)(_._2)
    val deletes = inlined.fold(Map.empty[DataFileId, Long]) { name =>
      session
        .query(sql.countDeletes(name, ids))(row => DataFileId(row.long(1)) -> row.long(2))
        .toMap
    }
    sources.forall { source =>
      live.get(source.id).exists(_.flatten.toSet == source.deleteFiles.map(_.value).toSet) &&
      deletes.getOrElse(source.id, 0L) == source.inlinedDeletes
    }
  }
}

private object RewriteCheck {
  private val FilesPerQuestion = 5000
}
