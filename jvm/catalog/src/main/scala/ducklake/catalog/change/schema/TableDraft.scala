package ducklake.catalog.change.schema

import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId

/** A table definition while a statement changes it.
  *
  * @param table the table's name for messages
  * @param next the id that the next new column takes
  * @param version the version of the lake's catalog
  * @param rows a table without rows takes changes for which rows would have no values
  */
final case class TableDraft(
    table: String,
    definition: TableDefinition,
    next: ColumnId,
    version: FormatVersion,
    rows: RowPresence,
) {

  private[schema] def withColumns(columns: Vector[Column]): TableDraft =
    copy(definition = definition.copy(columns = columns))

  /** The same column with the next free ids, and the draft that has given them. */
  private[schema] def numbered(column: Column): (Column, TableDraft) = {
    val (Vector(withIds), after) = ColumnIds.assign(Vector(column), next): @unchecked
    (withIds, copy(next = after))
  }
}

object TableDraft {

  /** A draft of a new table. Its columns are numbered from 1. */
  def ofNew(table: String, definition: TableDefinition, version: FormatVersion): TableDraft = {
    val (columns, next) = ColumnIds.assign(definition.columns, ColumnIds.first)
    TableDraft(table, definition.copy(columns = columns), next, version, RowPresence.Empty)
  }
}

/** Whether the table holds rows. */
sealed trait RowPresence

object RowPresence {
  case object Empty extends RowPresence
  case object HasRows extends RowPresence
}

/** Ids for new columns: depth first, parent before children, left to right.
  *
  * Source: DuckDB 1.5.5, observed (format 2.3).
  */
object ColumnIds {

  val first: ColumnId = ColumnId(1)

  /** The columns with consecutive ids from `next` on, and the id after the last. */
  def assign(columns: Vector[Column], next: ColumnId): (Vector[Column], ColumnId) =
    columns.foldLeft((Vector.empty[Column], next)) { case ((done, id), column) =>
      val (children, after) = assign(column.children, ColumnId(id.value + 1))
      (done :+ column.copy(id = id, children = children), after)
    }
}

/** The position of a column among its siblings. */
sealed trait ColumnPlace

object ColumnPlace {
  case object First extends ColumnPlace
  case object Last extends ColumnPlace

  /** After the sibling of this name. */
  final case class After(name: String) extends ColumnPlace
}
