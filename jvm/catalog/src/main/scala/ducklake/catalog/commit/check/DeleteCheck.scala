package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.KnownDeletes
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.RewriteSql
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.SnapshotId

/** Checks that the rows that a commit deletes are still there, and that its new deletes were
  * planned on top of all earlier ones.
  */
private[check] final class DeleteCheck(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
) {
  import DeleteCheck.*

  private val sql = new RewriteSql(dialect)
  private val tables = new CommitSql(dialect)
  private val inlined = new InlinedSql(dialect, version)

  /** Whether each touched data file is live and has the deletes that the operation knows. */
  def isPlannedOnNewest(delete: Operation.DeleteRows): Boolean = {
    val inlinedDeletes = Option(InlinedSql.deletesTable(delete.table.id))
      .filter(_ => delete.touchedFiles.nonEmpty)
      .filter(session.hasTable)
    delete.touchedFiles.grouped(FilesPerQuestion).forall { files =>
      val live = session
        .query(sql.liveFiles(delete.table.id, files)) { row =>
          DataFileId(row.long(1)) -> row.longOption(2).map(DeleteFileId(_))
        }
        .groupMap(_._1)(_._2)
      val counts = inlinedDeletes.fold(Map.empty[DataFileId, Long]) { name =>
        session
          .query(sql.countDeletes(name, files))(row => DataFileId(row.long(1)) -> row.long(2))
          .toMap
      }
      files.forall { file =>
        live.get(file).exists { deletes =>
          KnownDeletes(deletes.flatten.toSet, counts.getOrElse(file, 0L)) == delete.knownOf(file)
        }
      }
    }
  }

  /** Why the inlined rows cannot be ended; None when all of them are unchanged since the base. */
  def ofInlinedRows(delete: Operation.DeleteRows, base: SnapshotId): Option[String] = {
    val names =
      if (delete.endedInlined.isEmpty) Vector.empty
      else session.query(tables.inlinedTables(delete.table.id))(_.text(1))
    val present = names
      .flatMap(inlined.countUnchanged(_, delete.endedInlined, base))
      .flatMap(session.first(_)(_.long(1)))
      .sum
    Option.when(present < delete.endedInlined.size.toLong)(
      s"it wants to delete from ${delete.table.qualifiedName}, and another commit deleted or changed " +
        "the same rows since it began, or flushed them to a file"
    )
  }
}

private object DeleteCheck {
  private val FilesPerQuestion = 5000
}
