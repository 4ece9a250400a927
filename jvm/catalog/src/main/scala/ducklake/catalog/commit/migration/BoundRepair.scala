package ducklake.catalog.commit.migration

import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.write.RepairSql
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.bound.BoundText

/** Removes bounds that are no values of their column's type. Older versions of DuckDB left such
  * bounds behind when the type of a column changed; reads of old snapshots fail with them.
  *
  * Source: DuckDB 2.0 (format 14.12).
  */
private[migration] final class BoundRepair(session: WriteSession, dialect: Dialect) {
  import BoundRepair.*

  private val sql = new RepairSql(dialect)

  def run(): Unit = {
    val types = columnTypes()
    val wrong = session.query(sql.tableBounds) { row =>
      Bounds(row.long(1), row.long(2), row.textOption(3), row.textOption(4))
    }
    wrong.filter(isWrong(_, types)).groupMap(_.table)(_.column).foreach { case (table, columns) =>
      session.execute(sql.removeTableBounds(table, columns))
    }
    val range = session.first(sql.fileRange)(row => (row.longOption(1), row.longOption(2)))
    range.foreach {
      case (Some(first), Some(last)) =>
        (first to last by FilesPerQuestion).foreach(from => repairFiles(from, types))
      case _ => ()
    }
  }

  private def repairFiles(from: Long, types: Map[(Long, Long), LakeType.Primitive]): Unit =
    session
      .query(sql.fileBounds(from, from + FilesPerQuestion)) { row =>
        row.long(5) -> Bounds(row.long(1), row.long(2), row.textOption(3), row.textOption(4))
      }
      .filter { case (_, bounds) => isWrong(bounds, types) }
      .groupMap { case (_, bounds) => (bounds.table, bounds.column) }(_._1)
      .foreach { case ((table, column), files) =>
        session.execute(sql.removeFileBounds(table, column, files))
      }

  /** The present type of each leaf column, or its last type. */
  private def columnTypes(): Map[(Long, Long), LakeType.Primitive] =
    session
      .query(sql.columnTypes)(row => ((row.long(1), row.long(2)), row.text(3)))
      .toMap
      .map { case (column, text) => column -> TypeText.parse(text) }
      .collect { case (column, primitive: LakeType.Primitive) =>
        column -> primitive
      }

  private def isWrong(bounds: Bounds, types: Map[(Long, Long), LakeType.Primitive]): Boolean =
    types.get((bounds.table, bounds.column)).exists { lakeType =>
      (bounds.min ++ bounds.max).exists(!BoundText.isReadable(_, lakeType))
    }
}

private object BoundRepair {
  private val FilesPerQuestion = 1000L

  private final case class Bounds(
      table: Long,
      column: Long,
      min: Option[String],
      max: Option[String],
  )
}
