package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets

import scala.util.hashing.MurmurHash3

/** The bucket of a value: a 32-bit Murmur3 hash (x86), without its sign, modulo the number of
  * buckets.
  *
  * Source: DuckDB 1.5.5, observed (format 8.3). Iceberg hashes decimals, UUIDs and other timestamp
  * units differently.
  */
object Bucket {

  /** The bucket, from 0 until `count`. None for NULL, and for types that have no hash. */
  def of(literal: Literal, lakeType: LakeType.Primitive, count: Int): Option[Int] =
    hash(literal, lakeType).map(hashed => (hashed & Int.MaxValue) % count)

  /** The buckets that a file may have for the value, including buckets written before its column
    * was promoted to the type, because a promotion changes the hashed bytes. None when these
    * buckets are not known.
    */
  def possible(literal: Literal, lakeType: LakeType.Primitive, count: Int): Option[Set[Int]] =
    UnpromotedValues.of(literal, lakeType).map { origins =>
      origins.flatMap { case (earlier, earlierType) => of(earlier, earlierType, count) }.toSet
    }

  /** DuckDB stores a `timetz` as its local time in the high bits, and in the low 24 bits the
    * difference between 15:59:59 and its offset.
    */
  private val maxOffset = 57599L

  private val Seed = 0

  private[partition] def hash(literal: Literal, lakeType: LakeType.Primitive): Option[Int] =
    bytes(literal, lakeType).map(MurmurHash3.bytesHash(_, Seed))

  private def bytes(literal: Literal, lakeType: LakeType.Primitive): Option[Array[Byte]] =
    literal match {
      case Literal.Bool(value) => Some(wide(if (value) 1L else 0L))
      case Literal.Integral(value) if isSigned(lakeType) => Some(wide(value))
      case Literal.Floating(value) =>
        Some(wide(java.lang.Double.doubleToLongBits(if (value == 0) 0.0 else value)))
      case Literal.Dec(value) if isNarrow(lakeType) =>
        Some(wide(value.unscaledValue.longValueExact))
      case Literal.Text(value) => Some(value.getBytes(StandardCharsets.UTF_8))
      case Literal.Bytes(value) => Some(value.toArray)
      case Literal.Date(days) => Some(wide(days.toLong))
      case Literal.Time(ticks) => Some(wide(ticks))
      case Literal.Timestamp(ticks) => Some(wide(ticks))
      case Literal.TimeTz(micros, offset) => Some(wide(micros << 24 | maxOffset - offset))
      case other => ValueText.print(other, lakeType).map(_.getBytes(StandardCharsets.UTF_8))
    }

  private def isSigned(lakeType: LakeType): Boolean =
    lakeType match {
      case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 => true
      case _ => false
    }

  private def isNarrow(lakeType: LakeType): Boolean =
    lakeType match {
      case LakeType.Decimal(precision, _) => precision <= 18
      case _ => false
    }

  private def wide(value: Long): Array[Byte] =
    ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array
}
