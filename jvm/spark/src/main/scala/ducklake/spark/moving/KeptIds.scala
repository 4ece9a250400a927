package ducklake.spark.moving

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId

/** The ids that columns of a source have in the table that moved from it.
  *
  * Where files name columns, not every column has an id in the source. It is the same column as
  * before when files name it alike, whatever it is called now.
  */
private[moving] object KeptIds {

  /** Two versions of a source with the ids of the table. New columns get new ids, and a column that the
    * table has had before gets its old one, by which files of that time have its values.
    *
    * @param columns of the table
    * @param next the first new id
    * @param ever columns of all earlier versions as files name them, with the ids of the table
    */
  def of(
      columns: Vector[Column],
      next: ColumnId,
      before: SourceTable,
      now: SourceTable,
      ever: Vector[Column] = Vector.empty,
  ): (SourceTable, SourceTable) =
    (before.names, now.names) match {
      case (NamesInFiles.Stored(stored, ids), fresh: NamesInFiles.Stored) =>
        val (old, free) = NewIds.withIds(known(before.columns, columns), next.value)
        val oldStored = like(stored, old)
        val (nowStored, _) = NewIds.withIds(known(fresh.columns, merged(ever, oldStored)), free)
        (
          numbered(before, old, NamesInFiles.Stored(oldStored, ids)),
          numbered(now, like(now.columns, nowStored), fresh.copy(columns = nowStored)),
        )
      case _ => (before, now)
    }

  /** The columns of both by their names, and those of `now` where both have one. */
  def merged(ever: Vector[Column], now: Vector[Column]): Vector[Column] = {
    val old = ever.map(column => column.name -> column).toMap
    val names = now.map(_.name).toSet
    now.map { column =>
      val children = old.get(column.name).fold(Vector.empty[Column])(_.children)
      column.copy(children = merged(children, column.children))
    } ++ ever.filterNot(column => names(column.name))
  }

  /** The columns of a version as files name them. */
  def stored(source: SourceTable): Vector[Column] = source.names match {
    case NamesInFiles.Stored(columns, _) => columns
    case NamesInFiles.FieldIds(_) => Vector.empty
  }

  private def numbered(
      source: SourceTable,
      columns: Vector[Column],
      names: NamesInFiles,
  ): SourceTable = {
    val ids = source.columns.map(_.id).zip(columns.map(_.id)).toMap
    source.copy(
      columns = columns,
      names = names,
      lastColumn = ColumnId(MovedFiles.greatest(columns)),
      keys = source.keys.map(key => key.copy(column = key.column.map(ids))),
    )
  }

  /** The columns with the ids of those of the same names, and without ids where there are none. */
  private def known(columns: Vector[Column], others: Vector[Column]): Vector[Column] = {
    val byName = others.map(other => other.name -> other).toMap
    columns.map { column =>
      val found = byName.get(column.name)
      val children = known(column.children, found.fold(Vector.empty[Column])(_.children))
      column.copy(id = found.fold(NewIds.none)(_.id), children = children)
    }
  }

  /** The columns with the ids of those at the same places. */
  private def like(columns: Vector[Column], others: Vector[Column]): Vector[Column] =
    columns.zip(others).map { case (column, other) =>
      column.copy(id = other.id, children = like(column.children, other.children))
    }
}
