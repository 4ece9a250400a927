package ducklake.spark.partitioning

import ducklake.catalog.partition.EpochOrdinal
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.spark.types.LakeValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.functions.BoundFunction
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import java.time.LocalDate

/** The partition key of a value, as a function by which Spark clusters the rows of a partition
  * before they are written. The function's name contains the transform and the type, so that Spark
  * can look the function up in the catalog.
  */
final class PartitionKeyFunction(transform: Transform, lakeType: LakeType.Primitive)
    extends UnboundFunction {

  override def name(): String = PartitionKeyFunction.name(transform, lakeType)

  override def description(): String = "Used inside: the partition that a value is written to"

  override def bind(input: StructType): BoundFunction = {
    if (input.length != 1)
      throw new UnsupportedOperationException(s"${name()} takes one value")
    val dataType = input.fields.head.dataType
    transform match {
      case Transform.Identity => new TextKey(transform, lakeType, dataType)
      case Transform.Epoch(unit) => new OrdinalKey(unit, lakeType, dataType)
      case _ => new NumberKey(transform, lakeType, dataType)
    }
  }
}

object PartitionKeyFunction {

  private val prefix = "_ducklake_key"
  private val Named = """_ducklake_key\|(.*)\|(.*)""".r

  def name(transform: Transform, lakeType: LakeType.Primitive): String =
    s"$prefix|${TransformText.print(transform)}|${TypeText.print(lakeType)}"

  /** The function of this name; None when the name is not the name of a partition key function. */
  def find(name: String): Option[UnboundFunction] =
    name match {
      case Named(transformText, typeText) =>
        for {
          transform <- TransformText.parse(transformText)
          lakeType <- Some(TypeText.parse(typeText)).collect { case p: LakeType.Primitive => p }
        } yield new PartitionKeyFunction(transform, lakeType)
      case _ => None
    }
}

/** Computes the partition key of a value from the key's text.
  *
  * Spark looks for a method with the name `invoke` and the argument's type. For all other types it
  * calls `produceResult`.
  */
private[partitioning] abstract class KeyOfValue(
    transform: Transform,
    lakeType: LakeType.Primitive,
    dataType: DataType,
) extends Serializable {

  def inputTypes(): Array[DataType] = Array(dataType)

  def name(): String = PartitionKeyFunction.name(transform, lakeType)

  def canonicalName(): String = s"ducklake.${name()}(${dataType.catalogString})"

  /** The key's text. None for a value outside the type: the writer, which knows the column's name,
    * refuses it.
    */
  protected def text(value: Any): Option[String] =
    LakeValues.find(value, lakeType).flatMap { literal =>
      TransformValue.text(transform, literal, lakeType).getOrElse(None)
    }
}

/** Keys that are numbers: calendar parts and buckets. Values without a key, such as infinite dates,
  * are sorted before all others.
  */
final class NumberKey(transform: Transform, lakeType: LakeType.Primitive, dataType: DataType)
    extends KeyOfValue(transform, lakeType, dataType)
    with ScalarFunction[Integer] {

  override def inputTypes(): Array[DataType] = super.inputTypes()

  override def name(): String = super.name()

  override def canonicalName(): String = super.canonicalName()

  override def resultType(): DataType = IntegerType

  private def number(value: Any): Int = text(value).fold(Int.MinValue)(_.toInt)

  private val isDate = lakeType == LakeType.Date && isPartOfDate
  private val isTimestamp = isPartOfDate &&
    (lakeType == LakeType.Timestamp || lakeType == LakeType.TimestampTz)

  private def isPartOfDate: Boolean =
    transform match {
      case Transform.Year | Transform.Month | Transform.Day => true
      case _ => false
    }

  def invoke(value: Int): Int =
    if (isDate && Math.abs(value) != Int.MaxValue) part(value.toLong) else number(value)

  def invoke(value: Long): Int =
    if (isTimestamp && Math.abs(value) != Long.MaxValue) part(Math.floorDiv(value, 86400000000L))
    else number(value)

  /** A part of a date. Runs for every row, so it makes no literal. */
  private def part(epochDay: Long): Int = {
    val date = LocalDate.ofEpochDay(epochDay)
    transform match {
      case Transform.Year => date.getYear
      case Transform.Month => date.getMonthValue
      case _ => date.getDayOfMonth
    }
  }

  def invoke(value: UTF8String): Int = if (value == null) Int.MinValue else number(value)

  override def produceResult(input: InternalRow): Integer =
    if (input.isNullAt(0)) Int.MinValue else number(input.get(0, inputTypes().head))
}

/** Ordinals since 1970. Values without an ordinal, such as infinite dates, are sorted before all
  * others.
  */
final class OrdinalKey(unit: Transform.Calendar, lakeType: LakeType.Primitive, dataType: DataType)
    extends KeyOfValue(Transform.Epoch(unit), lakeType, dataType)
    with ScalarFunction[java.lang.Long] {

  override def inputTypes(): Array[DataType] = super.inputTypes()

  override def name(): String = super.name()

  override def canonicalName(): String = super.canonicalName()

  override def resultType(): DataType = LongType

  private def ordinal(value: Any): Long = text(value).fold(Long.MinValue)(_.toLong)

  /** Whether the lake's type holds every value of Spark's type. Other values are rounded first. */
  private val isExact =
    lakeType match {
      case LakeType.Timestamp | LakeType.TimestampTz | LakeType.TimestampNs |
          LakeType.TimestampTzNs =>
        true
      case _ => false
    }

  def invoke(value: Int): Long =
    if (Math.abs(value) != Int.MaxValue) EpochOrdinal.ofSecond(unit, value * 86400L)
    else ordinal(value)

  def invoke(value: Long): Long =
    if (isExact && Math.abs(value) != Long.MaxValue)
      EpochOrdinal.ofSecond(unit, Math.floorDiv(value, 1000000L))
    else ordinal(value)

  override def produceResult(input: InternalRow): java.lang.Long =
    if (input.isNullAt(0)) Long.MinValue else ordinal(input.get(0, inputTypes().head))
}

/** Identity keys of types where one value can be written as several texts. */
final class TextKey(transform: Transform, lakeType: LakeType.Primitive, dataType: DataType)
    extends KeyOfValue(transform, lakeType, dataType)
    with ScalarFunction[UTF8String] {

  override def inputTypes(): Array[DataType] = super.inputTypes()

  override def name(): String = super.name()

  override def canonicalName(): String = super.canonicalName()

  override def resultType(): DataType = StringType

  override def produceResult(input: InternalRow): UTF8String =
    if (input.isNullAt(0)) null
    else text(input.get(0, inputTypes().head)).map(UTF8String.fromString).orNull
}
