package ducklake.spark.moving.out.iceberg

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits
import org.apache.iceberg.Metrics
import org.apache.iceberg.types.Conversions
import org.apache.iceberg.types.Type

import java.nio.ByteBuffer
import java.util

import scala.jdk.CollectionConverters.MapHasAsJava

/** The statistics of a data file as Iceberg has them, of columns outside of lists and maps. Bounds of
  * long texts, which may be cut, are left out; the maximum of others may be greater than all of them.
  */
private[iceberg] final class IcebergStatistics(columns: Vector[Column], types: IcebergTypes) {

  private val leaves: Vector[(ColumnId, LakeType.Primitive, Type)] = columns.flatMap(below)

  def of(rows: Long, known: Map[ColumnId, ColumnStatistics]): Metrics = {
    val found = for {
      (column, leaf, shown) <- leaves
      statistics <- known.get(column)
    } yield (Math.toIntExact(column.value), leaf, shown, statistics)
    val counted = found.filter { case (_, leaf, _, _) => TypeTraits.of(leaf).hasTrueCounts }
    val nulls = counted.flatMap { case (id, _, _, one) => one.nullCount.map(id -> _) }
    val nans = found.collect { case (id, _, _, one) if hasNoNan(one) => id -> 0L }
    def bounds(side: ColumnStatistics => Option[Literal]): util.Map[Integer, ByteBuffer] =
      found
        .filter { case (_, leaf, _, one) => hasBounds(leaf, one) }
        .flatMap { case (id, _, shown, one) =>
          side(one).flatMap(IcebergStatistics.bytes(_, shown)).map(Integer.valueOf(id) -> _)
        }
        .toMap
        .asJava
    new Metrics(
      rows,
      null,
      boxed(nulls.map { case (id, _) => id -> rows }),
      boxed(nulls),
      boxed(nans),
      bounds(_.min),
      bounds(_.max),
    )
  }

  private def below(column: Column): Vector[(ColumnId, LakeType.Primitive, Type)] =
    column.dataType match {
      case leaf: LakeType.Primitive =>
        types.of(leaf).map(shown => (column.id, leaf, shown: Type)).toVector
      case LakeType.StructType => column.children.flatMap(below)
      case LakeType.ListType | LakeType.MapType => Vector.empty
    }

  private def boxed(counts: Vector[(Int, Long)]): util.Map[Integer, java.lang.Long] =
    counts
      .map { case (id, count) => Integer.valueOf(id) -> java.lang.Long.valueOf(count) }
      .toMap
      .asJava

  private def hasNoNan(found: ColumnStatistics): Boolean = found.containsNan.contains(false)

  private def hasBounds(leaf: LakeType.Primitive, found: ColumnStatistics): Boolean =
    TypeTraits.haveExactBounds(leaf) && (leaf match {
      case LakeType.Float32 | LakeType.Float64 => hasNoNan(found)
      case LakeType.Varchar => found.hasShortTexts
      case _ => true
    })
}

private[iceberg] object IcebergStatistics {

  private def bytes(bound: Literal, shown: Type): Option[ByteBuffer] =
    valueOf(bound, shown.typeId).map(Conversions.toByteBuffer(shown, _))

  /** The bound in the class that Iceberg has for the type. */
  private def valueOf(bound: Literal, shown: Type.TypeID): Option[AnyRef] = bound match {
    case Literal.Bool(value) => Some(Boolean.box(value))
    case Literal.Integral(value) if shown == Type.TypeID.LONG => Some(Long.box(value))
    case Literal.Integral(value) => Some(Int.box(Math.toIntExact(value)))
    case Literal.Floating(value) if shown == Type.TypeID.FLOAT => Some(Float.box(value.toFloat))
    case Literal.Floating(value) => Some(Double.box(value))
    case Literal.Dec(value) => Some(value)
    case Literal.Text(value) => Some(value)
    case Literal.Uuid(value) => Some(value)
    case Literal.Date(days) => Some(Int.box(days))
    case Literal.Timestamp(micros) => Some(Long.box(micros))
    case _ => None
  }
}
