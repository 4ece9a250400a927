package ducklake.spark.partitioning

import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.types.LakeValues
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.UTF8String

/** Reads the partitions of rows that come clustered. A value is turned into text only when it
  * differs from the value of the row before.
  */
final class PartitionKeyReader(keys: Vector[WriteKey], rule: TimeRule) {

  private val probes: Array[KeyProbe] = keys.map(KeyProbe.of(_, rule)).toArray

  /** The text of each key's value in the last row; None for NULL. */
  def values: Vector[Option[String]] = probes.toVector.map(_.text)

  /** Reads a row. Returns whether its partition differs from the partition of the row before; true
    * for the first row.
    */
  def move(row: InternalRow): Boolean = {
    // A plain loop, because it runs for every row.
    var hasMoved = false
    var index = 0
    while (index < probes.length) {
      if (probes(index).move(row)) hasMoved = true
      index += 1
    }
    hasMoved
  }
}

/** Reads the text of one key. */
private sealed abstract class KeyProbe(key: WriteKey) {

  private val lakeType: LakeType.Primitive = key.column.dataType match {
    case primitive: LakeType.Primitive => primitive
    case nested: LakeType.Nested =>
      throw new IllegalStateException(s"a column of type $nested is no partition key")
  }

  private var isStarted = false
  private var isNull = false

  var text: Option[String] = None

  /** Whether the row's value certainly gives the same text as the last value. May be false although
    * the texts are equal.
    */
  protected def isSame(row: InternalRow): Boolean

  /** Keeps and returns the row's value, which is not NULL. */
  protected def take(row: InternalRow): Any

  final def move(row: InternalRow): Boolean =
    if (row.isNullAt(key.ordinal)) {
      val hasMoved = !isStarted || !isNull
      isNull = true
      setText(None, hasMoved)
    } else if (isStarted && !isNull && isSame(row)) false
    else {
      isNull = false
      setText(textOf(take(row)), hasMoved = true)
    }

  private def setText(next: Option[String], hasMoved: Boolean): Boolean = {
    val isOther = hasMoved && (!isStarted || next != text)
    isStarted = true
    text = next
    isOther
  }

  private def textOf(value: Any): Option[String] =
    TransformValue.text(key.transform, literal(value), lakeType) match {
      case Right(text) => text
      case Left(why) => throw new IllegalStateException(why)
    }

  private def literal(value: Any): Literal =
    LakeValues.literal(value, key.column, lakeType)
}

private object KeyProbe {

  def of(key: WriteKey, rule: TimeRule): KeyProbe =
    SparkTypes.of(key.column, rule) match {
      case ByteType => new WholeProbe(key, 1L, row => row.getByte(key.ordinal).toLong)
      case ShortType => new WholeProbe(key, 1L, row => row.getShort(key.ordinal).toLong)
      case IntegerType | DateType => new WholeProbe(key, 1L, row => row.getInt(key.ordinal).toLong)
      case LongType => new WholeProbe(key, 1L, row => row.getLong(key.ordinal))
      case TimestampType | TimestampNTZType =>
        new WholeProbe(key, step(key), row => row.getLong(key.ordinal))
      case other => new ValueProbe(key, other)
    }

  /** The microseconds within which a part of a timestamp cannot change. It is 1 for a type that is
    * rounded when it is written, because a value may be rounded into the next part.
    */
  private def step(key: WriteKey): Long =
    if (isRounded(key.column.dataType)) 1L
    else
      key.transform match {
        case Transform.Year | Transform.Month | Transform.Day => 86400000000L
        case Transform.Hour => 3600000000L
        case Transform.Epoch(Transform.Hour) => 3600000000L
        case Transform.Epoch(_) => 86400000000L
        case Transform.Identity | Transform.Bucket(_) => 1L
      }

  private def isRounded(lakeType: LakeType): Boolean =
    lakeType == LakeType.TimestampS || lakeType == LakeType.TimestampMs

  /** Reads a value as a Long without boxing it. */
  trait LongReader {
    def apply(row: InternalRow): Long
  }

  private final class WholeProbe(key: WriteKey, step: Long, read: LongReader)
      extends KeyProbe(key) {

    private var last = 0L

    override protected def isSame(row: InternalRow): Boolean =
      Math.floorDiv(read(row), step) == last

    override protected def take(row: InternalRow): Any = {
      val value = read(row)
      last = Math.floorDiv(value, step)
      value
    }
  }

  private final class ValueProbe(key: WriteKey, sparkType: DataType) extends KeyProbe(key) {

    private var last: Any = ""

    override protected def isSame(row: InternalRow): Boolean =
      row.get(key.ordinal, sparkType) == last

    override protected def take(row: InternalRow): Any = {
      last = row.get(key.ordinal, sparkType) match {
        case text: UTF8String => text.copy()
        case other => other
      }
      last
    }
  }
}
