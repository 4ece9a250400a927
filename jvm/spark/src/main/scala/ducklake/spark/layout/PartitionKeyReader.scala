package ducklake.spark.layout

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

/** The partition of the row it was last shown. Made for rows that come clustered: a value is turned
  * into text only when it is not that of the row before.
  */
final class PartitionKeyReader(keys: Vector[WriteKey], rule: TimeRule) {

  private val probes: Array[KeyProbe] = keys.map(KeyProbe.of(_, rule)).toArray

  /** The text of each key's value; None: NULL. */
  def values: Vector[Option[String]] = probes.toVector.map(_.text)

  /** Whether the row is of another partition than the one before; true for the first. */
  def move(row: InternalRow): Boolean = {
    // A plain loop: it runs for every row.
    var hasMoved = false
    var at = 0
    while (at < probes.length) {
      if (probes(at).move(row)) hasMoved = true
      at += 1
    }
    hasMoved
  }
}

/** The text of one key. */
private sealed abstract class KeyProbe(key: WriteKey) {

  private val lakeType: LakeType.Primitive = key.column.dataType match {
    case primitive: LakeType.Primitive => primitive
    case nested: LakeType.Nested =>
      throw new IllegalStateException(s"a column of type $nested is no partition key")
  }

  private var isStarted = false
  private var isNull = false

  var text: Option[String] = None

  /** Whether the row's value lies where the last one did, as far as can be told at once. */
  protected def isSame(row: InternalRow): Boolean

  /** Takes the row's value, which is not NULL. */
  protected def take(row: InternalRow): Any

  final def move(row: InternalRow): Boolean =
    if (row.isNullAt(key.ordinal)) {
      val hasMoved = !isStarted || !isNull
      isNull = true
      settle(None, hasMoved)
    } else if (isStarted && !isNull && isSame(row)) false
    else {
      isNull = false
      settle(textOf(take(row)), hasMoved = true)
    }

  private def settle(next: Option[String], hasMoved: Boolean): Boolean = {
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

  /** Microseconds within which a timestamp's part cannot change. One that is rounded when it is
    * written may be rounded into the next part.
    */
  private def step(key: WriteKey): Long =
    if (isRounded(key.column.dataType)) 1L
    else
      key.transform match {
        case Transform.Year | Transform.Month | Transform.Day => 86400000000L
        case Transform.Hour => 3600000000L
        case Transform.Identity | Transform.Bucket(_) => 1L
      }

  private def isRounded(lakeType: LakeType): Boolean =
    lakeType == LakeType.TimestampS || lakeType == LakeType.TimestampMs

  trait LongOf {
    def apply(row: InternalRow): Long
  }

  private final class WholeProbe(key: WriteKey, step: Long, read: LongOf) extends KeyProbe(key) {

    private var last = 0L

    override protected def isSame(row: InternalRow): Boolean =
      Math.floorDiv(read(row), step) == last

    override protected def take(row: InternalRow): Any = {
      val value = read(row)
      last = Math.floorDiv(value, step)
      value
    }
  }

  private final class ValueProbe(key: WriteKey, shown: DataType) extends KeyProbe(key) {

    private var last: Any = ""

    override protected def isSame(row: InternalRow): Boolean = row.get(key.ordinal, shown) == last

    override protected def take(row: InternalRow): Any = {
      last = row.get(key.ordinal, shown) match {
        case text: UTF8String => text.copy()
        case other => other
      }
      last
    }
  }
}
