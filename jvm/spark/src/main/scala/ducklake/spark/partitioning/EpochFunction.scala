package ducklake.spark.partitioning

import ducklake.catalog.partition.EpochOrdinal
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.types.LakeType
import ducklake.spark.predicate.LiteralFromSpark
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.functions.BoundFunction
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.types.*

/** `epoch_day(value)` and so on: whole units since 1970. By these functions Spark recognises tables
  * with the same partitions.
  */
final class EpochFunction(unit: Transform.Calendar) extends UnboundFunction {

  override def name(): String = TransformText.print(Transform.Epoch(unit))

  override def description(): String = s"${name()}(value): units since 1970 in UTC, rounded down"

  override def bind(input: StructType): BoundFunction = {
    if (input.length != 1) throw new UnsupportedOperationException(s"${name()} takes one value")
    input.fields(0).dataType match {
      case DateType => new BoundEpoch(unit, DateType, LakeType.Date)
      case TimestampNTZType => new BoundEpoch(unit, TimestampNTZType, LakeType.Timestamp)
      case TimestampType => new BoundEpoch(unit, TimestampType, LakeType.TimestampTz)
      case other => throw new UnsupportedOperationException(s"${name()} does not take ${other.sql}")
    }
  }
}

object EpochFunction {

  val all: Vector[EpochFunction] = Transform.units.map(new EpochFunction(_))
}

/** The ordinals of one Spark type. NULL for NULL and for infinite values. */
private final class BoundEpoch(
    unit: Transform.Calendar,
    dataType: DataType,
    lakeType: LakeType.Primitive,
) extends ScalarFunction[java.lang.Long] {

  override def inputTypes(): Array[DataType] = Array(dataType)

  override def resultType(): DataType = LongType

  override def name(): String = TransformText.print(Transform.Epoch(unit))

  override def canonicalName(): String = s"ducklake.${name()}(${dataType.catalogString})"

  override def produceResult(input: InternalRow): java.lang.Long =
    if (input.isNullAt(0)) Option.empty[java.lang.Long].orNull
    else {
      val value = LiteralFromSpark.ofInternal(input.get(0, dataType), lakeType, Comparison.Equal)
      value
        .flatMap(EpochOrdinal.of(unit, _, lakeType))
        .map(java.lang.Long.valueOf(_))
        .orNull
    }
}
