package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.FlushedDeletes
import ducklake.catalog.change.operation.FlushedRows
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.write.FlushSql
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.TableId

/** Checks that the rows and deletes that a flush has read are still there. Versions that ended since
  * become inlined deletes of its files.
  */
private[check] final class FlushCheck(session: Session, dialect: Dialect, version: FormatVersion) {
  private val sql = new FlushSql(dialect, version)

  /** Why the flush cannot be committed; None when it can. */
  def clash(flush: Operation.FlushInlined): Option[String] = {
    val name = flush.table.qualifiedName
    val present = session.tables(flush.rows.map(_.inlinedTable)).toSet
    def areGone(rows: FlushedRows) =
      !present(rows.inlinedTable) || areVersionsGone(rows.inlinedTable, rows.versions, flush)
    if (flush.rows.exists(areGone))
      Some(s"it wants to flush $name, whose inlined rows another commit removed since it began")
    else if (
      flush.deletes
        .grouped(FlushCheck.FilesPerQuestion)
        .exists(haveDeletesChanged(flush.table.id, _))
    )
      Some(
        s"it wants to flush $name, and since it began another commit deleted rows of the same files, " +
          "or the files have expired"
      )
    else None
  }

  private def areVersionsGone(
      inlined: String,
      read: Long,
      flush: Operation.FlushInlined,
  ): Boolean =
    !session.first(sql.countVersions(inlined, flush.upTo))(_.long(1)).contains(read)

  private def haveDeletesChanged(table: TableId, deletes: Vector[FlushedDeletes]): Boolean = {
    val files = deletes.map(_.dataFile)
    val ends = session
      .query(sql.dataFiles(table, files))(row => DataFileId(row.long(1)) -> row.longOption(4))
      .toMap
    val present = session
      .query(sql.deleteFiles(table, files))(row => DataFileId(row.long(1)) -> row.long(2))
      .groupMap(_._1)(_._2)
    deletes.exists { one =>
      !ends.get(one.dataFile).contains(one.ended.map(_.value)) ||
      present.getOrElse(one.dataFile, Vector.empty).toSet != one.replaces.map(_._1.value).toSet
    }
  }
}

private object FlushCheck {
  private val FilesPerQuestion = 1000
}
