package ducklake.spark.moving

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.TypeText

/** Describes how columns have changed, one line for each change. */
private[moving] object ColumnChanges {

  private final case class Node(path: String, column: Column)

  def of(before: Vector[Column], now: Vector[Column]): Vector[String] = {
    val old = nodes(before, Vector.empty)
    val fresh = nodes(now, Vector.empty)
    val oldById = old.map(node => node.column.id -> node).toMap
    val ids = fresh.map(_.column.id).toSet
    old.filterNot(node => ids(node.column.id)).map(node => s"`${node.path}` is dropped") ++
      fresh.flatMap { node =>
        oldById.get(node.column.id).fold(Vector(s"`${node.path}` is new"))(ofNode(_, node))
      } ++ moved(old, fresh)
  }

  private def ofNode(old: Node, now: Node): Vector[String] = {
    val (was, is) = (old.column, now.column)
    def rest(column: Column) =
      (column.nullsAllowed, column.initialDefault, column.default, column.comment)
    Vector(
      Option.when(was.name != is.name)(s"`${old.path}` is `${now.path}` now"),
      Option.when(was.dataType != is.dataType) {
        s"`${now.path}` is ${TypeText.print(is.dataType)}, and was ${TypeText.print(was.dataType)}"
      },
      Option.when(rest(was) != rest(is))(s"`${now.path}` has another NOT NULL, default or comment"),
    ).flatten
  }

  private def moved(old: Vector[Node], fresh: Vector[Node]): Option[String] = {
    def order(nodes: Vector[Node], among: Vector[Node]): Vector[ColumnId] =
      nodes.map(_.column.id).filter(among.map(_.column.id).toSet)
    Option.when(order(old, fresh) != order(fresh, old))("the columns have another order")
  }

  private def nodes(columns: Vector[Column], above: Vector[String]): Vector[Node] =
    columns.flatMap { column =>
      val path = above :+ column.name
      Node(path.mkString("."), column) +: nodes(column.children, path)
    }
}
