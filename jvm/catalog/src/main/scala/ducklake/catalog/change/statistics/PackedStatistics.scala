package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.DataInputStream
import java.io.DataOutputStream

import scala.collection.immutable.ArraySeq

/** The statistics of a file's columns in one array: some ten bytes for a column in addition to its
  * bounds. Objects would take 300 bytes, and a commit may have a million files. The statistics are
  * unpacked at each access.
  */
final class PackedStatistics private (bytes: ArraySeq[Byte])
    extends scala.collection.immutable.AbstractMap[ColumnId, ColumnStatistics]
    with Serializable {

  /** The statistics as objects, to look up several of them. */
  def unpacked: Map[ColumnId, ColumnStatistics] = iterator.toMap

  def iterator: Iterator[(ColumnId, ColumnStatistics)] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes.toArray))
    Iterator.fill(LiteralBytes.readNumber(in).toInt)(PackedStatistics.read(in))
  }

  def get(id: ColumnId): Option[ColumnStatistics] =
    iterator.collectFirst { case (`id`, statistics) => statistics }

  def removed(id: ColumnId): Map[ColumnId, ColumnStatistics] = unpacked - id

  def updated[V >: ColumnStatistics](id: ColumnId, value: V): Map[ColumnId, V] =
    unpacked.updated(id, value)
}

object PackedStatistics {
  private val MinFlag = 1
  private val MaxFlag = 2
  private val ValuesFlag = 4
  private val NullsFlag = 8
  private val SizeFlag = 16
  private val NanKnownFlag = 32
  private val NanFlag = 64
  private val MinIsValueFlag = 128
  private val MaxIsValueFlag = 256

  def of(statistics: Map[ColumnId, ColumnStatistics]): Map[ColumnId, ColumnStatistics] = {
    val packed = new ByteArrayOutputStream()
    val out = new DataOutputStream(packed)
    LiteralBytes.writeNumber(statistics.size.toLong, out)
    val ordered = statistics.toVector.sortBy(_._1.value)
    val isPackable = ordered.forall { case (id, known) => write(id, known, out) }
    if (isPackable) new PackedStatistics(ArraySeq.unsafeWrapArray(packed.toByteArray))
    else statistics
  }

  /** The statistics as objects, when they are packed. */
  def unpacked(statistics: Map[ColumnId, ColumnStatistics]): Map[ColumnId, ColumnStatistics] =
    statistics match {
      case packed: PackedStatistics => packed.unpacked
      case objects => objects
    }

  private def write(id: ColumnId, known: ColumnStatistics, out: DataOutputStream): Boolean = {
    LiteralBytes.writeNumber(id.value, out)
    out.writeShort(flags(known))
    (known.valueCount ++ known.nullCount ++ known.sizeBytes)
      .foreach(LiteralBytes.writeNumber(_, out))
    (known.min ++ known.max).forall(LiteralBytes.write(_, out))
  }

  private def flags(known: ColumnStatistics): Int = {
    def flag(isSet: Boolean, bit: Int): Int = if (isSet) bit else 0
    flag(known.min.nonEmpty, MinFlag) | flag(known.max.nonEmpty, MaxFlag) |
      flag(known.valueCount.nonEmpty, ValuesFlag) | flag(known.nullCount.nonEmpty, NullsFlag) |
      flag(known.sizeBytes.nonEmpty, SizeFlag) | flag(known.containsNan.nonEmpty, NanKnownFlag) |
      flag(known.containsNan.contains(true), NanFlag) |
      flag(known.minIsValue, MinIsValueFlag) | flag(known.maxIsValue, MaxIsValueFlag)
  }

  private def read(in: DataInputStream): (ColumnId, ColumnStatistics) = {
    val id = ColumnId(LiteralBytes.readNumber(in))
    val flags = in.readShort().toInt
    def isSet(bit: Int): Boolean = (flags & bit) != 0
    val values = Option.when(isSet(ValuesFlag))(LiteralBytes.readNumber(in))
    val nulls = Option.when(isSet(NullsFlag))(LiteralBytes.readNumber(in))
    val size = Option.when(isSet(SizeFlag))(LiteralBytes.readNumber(in))
    val min = Option.when(isSet(MinFlag))(LiteralBytes.read(in))
    val max = Option.when(isSet(MaxFlag))(LiteralBytes.read(in))
    val nan = Option.when(isSet(NanKnownFlag))(isSet(NanFlag))
    val (minIsValue, maxIsValue) = (isSet(MinIsValueFlag), isSet(MaxIsValueFlag))
    (id, ColumnStatistics(min, max, values, nulls, nan, size, minIsValue, maxIsValue))
  }
}
