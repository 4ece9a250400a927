package ducklake.catalog.change.statement

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements on the rows of a table's columns and of their comments. */
private[statement] final class ColumnStatements(sql: WriteSql) {

  def end(table: TableId, ids: Vector[ColumnId], at: SnapshotId): Vector[Sql] = {
    val holder = "table_id" -> table.value
    sql.endWithin(MetadataSchema.Column, holder, "column_id", ids.map(_.value), at)
  }

  def begin(table: TableId, nodes: Vector[ColumnNode], at: SnapshotId): Vector[Sql] =
    insert(table, nodes, at, Bind.Absent)

  /** Stores a column that no snapshot has, so that later columns get greater ids. Both engines
    * number a new column after all columns that the table ever had.
    */
  def reserve(table: TableId, id: ColumnId, at: SnapshotId): Vector[Sql] = {
    val name = s"dropped_${id.value}"
    val node = ColumnNode(id, None, id.value, name, "varchar", None, None, true, isNested = false)
    insert(table, Vector(node), at, Bind.Number(at.value))
  }

  private def insert(
      table: TableId,
      nodes: Vector[ColumnNode],
      at: SnapshotId,
      end: Bind,
  ): Vector[Sql] =
    sql.insert(MetadataSchema.Column, nodes)(
      "column_id" -> (node => Bind.Number(node.id.value)),
      "begin_snapshot" -> (_ => Bind.Number(at.value)),
      "end_snapshot" -> (_ => end),
      "table_id" -> (_ => Bind.Number(table.value)),
      "column_order" -> (node => Bind.Number(node.order)),
      "column_name" -> (node => Bind.Text(node.name)),
      "column_type" -> (node => Bind.Text(node.typeText)),
      "initial_default" -> (node => Bind.ofText(node.initialDefault)),
      "default_value" -> (node => Bind.Text(node.default.fold("NULL")(_.text))),
      "nulls_allowed" -> (node => Bind.Flag(node.nullsAllowed)),
      "parent_column" -> (node => Bind.of(node.parent.map(_.value))),
      "default_value_type" -> (node => Bind.Text(defaultKind(node))),
      "default_value_dialect" -> (_ => Bind.Text("duckdb")),
    )

  /** Stores the comments that changed. A comment that is removed leaves a row without a value. The
    * comments of a dropped column end with the column; DuckDB 1.5.5 does not end them (format
    * 11.1).
    */
  def comments(
      table: TableId,
      before: Vector[Column],
      after: Vector[Column],
      at: SnapshotId,
  ): Vector[Sql] = {
    val old = commentsOf(before)
    val fresh = commentsOf(after)
    val live = nodesOf(after).map(_.id).toSet
    val differing = (old.keySet ++ fresh.keySet).toVector
      .filter(id => live(id) && old.get(id) != fresh.get(id))
      .sortBy(_.value)
    val dropped = nodesOf(before).map(_.id).filterNot(live)
    val ended = (differing.filter(old.contains) ++ dropped).map(_.value)
    val holder = "table_id" -> table.value
    sql.endWithin(MetadataSchema.ColumnTag, holder, "column_id", ended, at) ++
      sql.insert(MetadataSchema.ColumnTag, differing)(
        "table_id" -> (_ => Bind.Number(table.value)),
        "column_id" -> (id => Bind.Number(id.value)),
        "begin_snapshot" -> (_ => Bind.Number(at.value)),
        "end_snapshot" -> (_ => Bind.Absent),
        "key" -> (_ => Bind.Text("comment")),
        "value" -> (id => Bind.ofText(fresh.get(id))),
      )
  }

  private def nodesOf(columns: Vector[Column]): Vector[Column] =
    columns.flatMap(column => column +: nodesOf(column.children))

  private def commentsOf(columns: Vector[Column]): Map[ColumnId, String] =
    nodesOf(columns).flatMap(column => column.comment.map(column.id -> _)).toMap

  private def defaultKind(node: ColumnNode): String = node.default match {
    case Some(ColumnDefault.Expression(_, _)) => "expression"
    case Some(ColumnDefault.LiteralText(_)) | None => if (node.isNested) "" else "literal"
  }
}
