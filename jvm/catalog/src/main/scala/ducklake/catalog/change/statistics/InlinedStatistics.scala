package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder

/** Statistics of inlined rows, for each leaf column. For a nested value that is NULL or empty, its
  * leaves count as NULL, as in a Parquet file.
  */
object InlinedStatistics {

  /** @param rows values of `columns`, in order */
  def of(
      columns: Vector[Column],
      rows: Vector[Vector[Literal]],
  ): Map[ColumnId, ColumnStatistics] =
    columns.zipWithIndex.flatMap { case (column, at) => ofColumn(column, rows.map(_(at))) }.toMap

  private def ofColumn(
      column: Column,
      values: Vector[Literal],
  ): Vector[(ColumnId, ColumnStatistics)] =
    column.dataType match {
      case primitive: LakeType.Primitive => Vector(column.id -> ofLeaf(primitive, values))
      case _: LakeType.Nested =>
        column.children.zipWithIndex.flatMap { case (child, at) =>
          ofColumn(child, values.flatMap(part(_, at)))
        }
    }

  /** The values of a child column in a nested value. */
  private def part(value: Literal, child: Int): Vector[Literal] = value match {
    case Literal.StructValue(fields) => Vector(fields(child))
    case Literal.ListValue(items) if items.nonEmpty => items
    case Literal.MapValue(entries) if entries.nonEmpty =>
      entries.map { case (key, value) => if (child == 0) key else value }
    case _ => Vector(Literal.Null)
  }

  private def ofLeaf(lakeType: LakeType.Primitive, values: Vector[Literal]): ColumnStatistics = {
    val present = values.filterNot(_ == Literal.Null)
    val ordered = present.filterNot(LiteralOrder.isNan)
    val isFloat = lakeType == LakeType.Float32 || lakeType == LakeType.Float64
    ColumnStatistics(
      min = extreme(ordered, -1),
      max = extreme(ordered, 1),
      valueCount = Some(present.size.toLong),
      nullCount = Some((values.size - present.size).toLong),
      containsNan = Option.when(isFloat)(present.exists(LiteralOrder.isNan)),
      sizeBytes = None,
      minIsValue = true,
      maxIsValue = true,
    )
  }

  /** The smallest or greatest value. None when there is no value, or when two values cannot be
    * compared.
    *
    * @param sign -1 for the smallest, 1 for the greatest
    */
  private def extreme(values: Vector[Literal], sign: Int): Option[Literal] =
    values.headOption.flatMap { first =>
      values.tail.foldLeft(Option(first)) { (found, next) =>
        found.flatMap { best =>
          LiteralOrder.compare(next, best).map(order => if (order * sign > 0) next else best)
        }
      }
    }
}
