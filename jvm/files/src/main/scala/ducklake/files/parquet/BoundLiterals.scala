package ducklake.files.parquet

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.apache.parquet.io.api.Binary

import java.math.BigDecimal
import java.math.BigInteger
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.collection.immutable.ArraySeq

/** A bound in the statistics of a Parquet footer as a value of a column's type. */
object BoundLiterals {

  /** The literal of a bound in the footer; None for types for which the catalog keeps no bounds. */
  def of(value: Any, lakeType: LakeType.Primitive): Option[Literal] =
    (value, lakeType) match {
      case (v: Boolean, LakeType.Bool) => Some(Literal.Bool(v))
      case (v: Int, LakeType.Int8 | LakeType.Int16 | LakeType.Int32) => whole(v.toLong)
      case (v: Int, LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32) =>
        whole(Integer.toUnsignedLong(v))
      case (v: Long, LakeType.Int64) => whole(v)
      case (v: Long, LakeType.UInt64) =>
        Some(Literal.BigIntegral(BigInt(java.lang.Long.toUnsignedString(v))))
      case (v: Float, LakeType.Float32) => Some(Literal.Floating(v.toDouble))
      case (v: Double, LakeType.Float64) => Some(Literal.Floating(v))
      case (v: Int, LakeType.Decimal(_, scale)) =>
        Some(decimal(BigInteger.valueOf(v.toLong), scale))
      case (v: Long, LakeType.Decimal(_, scale)) => Some(decimal(BigInteger.valueOf(v), scale))
      case (v: Binary, LakeType.Decimal(_, scale)) =>
        Some(decimal(new BigInteger(v.getBytes), scale))
      case (v: Int, LakeType.Date) => Some(Literal.Date(v))
      case (v: Long, LakeType.Time) => Some(Literal.Time(v))
      case (v: Long, LakeType.TimestampS) => Some(Literal.Timestamp(seconds(v)))
      case (
            v: Long,
            LakeType.Timestamp | LakeType.TimestampMs | LakeType.TimestampNs |
            LakeType.TimestampTz | LakeType.TimestampTzNs,
          ) =>
        Some(Literal.Timestamp(v))
      case (v: Binary, LakeType.Varchar | LakeType.Json) => text(v.getBytes)
      case (v: Binary, LakeType.Blob) => Some(Literal.Bytes(ArraySeq.unsafeWrapArray(v.getBytes)))
      case (v: Binary, LakeType.Uuid) =>
        val bytes = ByteBuffer.wrap(v.getBytes)
        Some(Literal.Uuid(new UUID(bytes.getLong, bytes.getLong)))
      case _ => None
    }

  private def whole(value: Long): Option[Literal] = Some(Literal.Integral(value))

  private def decimal(unscaled: BigInteger, scale: Int): Literal =
    Literal.Dec(new BigDecimal(unscaled, scale))

  /** Files store whole seconds as microseconds. Infinite values are the same number in every unit.
    */
  private def seconds(micros: Long): Long =
    if (micros == Long.MaxValue || micros == -Long.MaxValue) micros
    else Math.floorDiv(micros, 1000000L)

  /** None for bytes that are not UTF-8: they cannot be a text bound. */
  private def text(bytes: Array[Byte]): Option[Literal] = {
    val read = new String(bytes, UTF_8)
    Option.when(java.util.Arrays.equals(read.getBytes(UTF_8), bytes))(Literal.Text(read))
  }
}
