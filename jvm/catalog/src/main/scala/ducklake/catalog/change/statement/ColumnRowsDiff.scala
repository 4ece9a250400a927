package ducklake.catalog.change.statement

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

/** A row of `ducklake_column`, without its lifetime. */
final case class ColumnNode(
    id: ColumnId,
    parent: Option[ColumnId],
    order: Long,
    name: String,
    typeText: String,
    initialDefault: Option[String],
    default: Option[ColumnDefault],
    nullsAllowed: Boolean,
    isNested: Boolean,
)

/** The rows of `ducklake_column` that end and begin when columns change.
  *
  * @param isPhysical whether the schema of the table's rows changes: names, types, order or
  *   nesting, but not defaults and NOT NULL
  */
final case class ColumnRowsDiff(
    ended: Vector[ColumnId],
    begun: Vector[ColumnNode],
    isPhysical: Boolean,
)

object ColumnRowsDiff {

  /** @param orders the stored `column_order` of the live columns
    */
  def between(
      before: Vector[Column],
      after: Vector[Column],
      orders: Map[ColumnId, Long],
  ): ColumnRowsDiff = {
    val old = nodes(before, orders)
    val oldById = old.map(node => node.id -> node).toMap
    val fresh = nodes(after, orders)
    val freshById = fresh.map(node => node.id -> node).toMap
    ColumnRowsDiff(
      old.filterNot(node => freshById.get(node.id).contains(node)).map(_.id),
      fresh.filterNot(node => oldById.get(node.id).contains(node)),
      isPhysical = old.map(physical) != fresh.map(physical),
    )
  }

  private def physical(node: ColumnNode): (ColumnId, Option[ColumnId], String, String) =
    (node.id, node.parent, node.name, node.typeText)

  /** All nodes, parents before their children. */
  def nodes(columns: Vector[Column], orders: Map[ColumnId, Long]): Vector[ColumnNode] =
    below(None, columns, orders)

  private def below(
      parent: Option[ColumnId],
      columns: Vector[Column],
      orders: Map[ColumnId, Long],
  ): Vector[ColumnNode] =
    columns.zip(ascending(columns.map(_.id), orders)).flatMap { case (column, order) =>
      val own = ColumnNode(
        column.id,
        parent,
        order,
        column.name,
        TypeText.print(column.dataType),
        column.initialDefault,
        column.default,
        column.nullsAllowed,
        isNested(column.dataType),
      )
      own +: below(Some(column.id), column.children, orders)
    }

  private def isNested(lakeType: LakeType): Boolean = lakeType match {
    case _: LakeType.Nested => true
    case _: LakeType.Primitive => false
  }

  /** A `column_order` for each sibling. A live column keeps its stored order and a new column takes
    * its id. Where these orders do not ascend, a column takes the number below the order of the
    * next column, so that few rows change. No order becomes greater, because DuckDB uses the id of
    * a new column as its order and expects the column after all others.
    */
  private def ascending(ids: Vector[ColumnId], orders: Map[ColumnId, Long]): Vector[Long] =
    ids
      .scanRight(Long.MaxValue)((id, next) => math.min(orders.getOrElse(id, id.value), next - 1))
      .init
}
