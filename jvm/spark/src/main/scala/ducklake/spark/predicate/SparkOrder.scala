package ducklake.spark.predicate

import ducklake.catalog.pruning.Direction
import ducklake.catalog.pruning.OrderKey
import ducklake.catalog.pruning.RowOrder
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeTraits
import ducklake.spark.types.HiddenNames
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.NullOrdering
import org.apache.spark.sql.connector.expressions.SortDirection
import org.apache.spark.sql.connector.expressions.SortOrder

/** Translates the keys of an ORDER BY.
  *
  * @param columns the table's top-level columns
  */
final class SparkOrder(columns: Vector[Column]) {

  /** The order by the first keys, up to the first key that is no column, or a column whose values
    * Spark may not order as the catalog orders its bounds. None when this is the first key.
    *
    * @param orders None for a key that sources cannot compute
    */
  def translate(orders: Vector[Option[SortOrder]]): Option[RowOrder] = {
    val keys = orders.map(_.flatMap(key)).takeWhile(_.isDefined).flatten
    Option.when(keys.nonEmpty)(RowOrder(keys, isWhole = keys.length == orders.length))
  }

  private def key(order: SortOrder): Option[OrderKey] =
    column(order.expression()).flatMap { column =>
      val direction = order.direction() match {
        case SortDirection.ASCENDING => Direction.Ascending
        case SortDirection.DESCENDING => Direction.Descending
      }
      val nullsFirst = order.nullOrdering() == NullOrdering.NULLS_FIRST
      Some(column.dataType).collect {
        case primitive: LakeType.Primitive if TypeTraits.haveExactBounds(primitive) =>
          OrderKey(column.id, primitive, direction, nullsFirst)
      }
    }

  private def column(expression: Expression): Option[Column] =
    expression match {
      case reference: NamedReference if reference.fieldNames().length == 1 =>
        HiddenNames.ownColumn(columns, reference.fieldNames().head)
      case _ => None
    }
}
