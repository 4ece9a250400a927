package ducklake.catalog.types.binary

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.Micros
import ducklake.catalog.types.text.TemporalText
import ducklake.catalog.types.text.ValueText

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets

import scala.collection.immutable.ArraySeq

/** Encodes values without children in Parquet's binary encoding of variants.
  *
  * Source: Parquet format, VariantEncoding, version 1.
  */
private[types] object VariantEncoding {

  /** Version 1, an empty dictionary. */
  private val metadata: ArraySeq[Byte] = ArraySeq[Byte](1, 0, 0)

  private object Kind {
    val null_ = 0
    val true_ = 1
    val false_ = 2
    val int8 = 3
    val int16 = 4
    val int32 = 5
    val int64 = 6
    val double = 7
    val decimal4 = 8
    val decimal8 = 9
    val decimal16 = 10
    val date = 11
    val timestampMicros = 12
    val timestampLocalMicros = 13
    val float = 14
    val binary = 15
    val string = 16
    val timeMicros = 17
    val timestampNanos = 18
    val timestampLocalNanos = 19
    val uuid = 20
  }

  /** The value as a variant; None when variants have no such value. */
  def encode(literal: Literal, lakeType: LakeType.Primitive): Option[Literal.Variant] =
    bytes(literal, lakeType).map(value => Literal.Variant(metadata, value))

  private def bytes(literal: Literal, lakeType: LakeType.Primitive): Option[ArraySeq[Byte]] =
    literal match {
      case Literal.Null => Some(primitive(Kind.null_))
      case Literal.Bool(value) => Some(primitive(if (value) Kind.true_ else Kind.false_))
      case Literal.Integral(value) => Some(integral(value, lakeType))
      case Literal.BigIntegral(value) => decimal(new java.math.BigDecimal(value.bigInteger))
      case Literal.Floating(value) if lakeType == LakeType.Float32 =>
        Some(primitive(Kind.float, little(4)(_.putFloat(value.toFloat))))
      case Literal.Floating(value) => Some(primitive(Kind.double, little(8)(_.putDouble(value))))
      case Literal.Dec(value) => decimal(value)
      case Literal.Text(value) => Some(text(value.getBytes(StandardCharsets.UTF_8)))
      case Literal.Bytes(value) =>
        Some(primitive(Kind.binary, little(4)(_.putInt(value.length)), value.toArray))
      case Literal.Uuid(value) =>
        val big = ByteBuffer.allocate(16)
        big.putLong(value.getMostSignificantBits).putLong(value.getLeastSignificantBits)
        Some(primitive(Kind.uuid, big.array))
      case Literal.Date(days) => Some(primitive(Kind.date, little(4)(_.putInt(days))))
      case Literal.Time(ticks) if lakeType == LakeType.Time =>
        Some(primitive(Kind.timeMicros, long(ticks)))
      case Literal.Timestamp(ticks) => timestamp(ticks, lakeType)
      case _ => None
    }

  private def integral(value: Long, lakeType: LakeType): ArraySeq[Byte] =
    lakeType match {
      case LakeType.Int8 => primitive(Kind.int8, Array(value.toByte))
      case LakeType.Int16 | LakeType.UInt8 =>
        primitive(Kind.int16, little(2)(_.putShort(value.toShort)))
      case LakeType.Int32 | LakeType.UInt16 =>
        primitive(Kind.int32, little(4)(_.putInt(value.toInt)))
      case _ => primitive(Kind.int64, long(value))
    }

  private def decimal(value: java.math.BigDecimal): Option[ArraySeq[Byte]] = {
    val unscaled = value.unscaledValue
    val scale = value.scale.toByte
    if (value.precision <= 9)
      Some(primitive(Kind.decimal4, scale +: little(4)(_.putInt(unscaled.intValueExact))))
    else if (value.precision <= 18)
      Some(primitive(Kind.decimal8, scale +: long(unscaled.longValueExact)))
    else if (value.precision <= 38) {
      val sign: Byte = if (unscaled.signum < 0) -1 else 0
      val digits = unscaled.toByteArray.reverse.padTo(16, sign)
      Some(primitive(Kind.decimal16, scale +: digits))
    } else None
  }

  private def timestamp(ticks: Long, lakeType: LakeType): Option[ArraySeq[Byte]] =
    lakeType match {
      case LakeType.TimestampTz => Some(primitive(Kind.timestampMicros, long(ticks)))
      case LakeType.TimestampTzNs => Some(primitive(Kind.timestampNanos, long(ticks)))
      case LakeType.TimestampNs => Some(primitive(Kind.timestampLocalNanos, long(ticks)))
      case _ =>
        val scale = Micros.PerSecond / ValueText.ticksPerSecond(lakeType)
        val isInfinite = Math.abs(ticks) == TemporalText.InfiniteTicks
        val micros = if (isInfinite) BigInt(ticks) else BigInt(ticks) * scale
        Option.when(micros.isValidLong)(
          primitive(Kind.timestampLocalMicros, long(micros.toLong))
        )
    }

  /** A text. Up to 63 bytes, its length is in the header. */
  private def text(utf8: Array[Byte]): ArraySeq[Byte] =
    if (utf8.length < 64) ArraySeq.unsafeWrapArray((utf8.length << 2 | 1).toByte +: utf8)
    else primitive(Kind.string, little(4)(_.putInt(utf8.length)) ++ utf8)

  private def primitive(kind: Int, content: Array[Byte]*): ArraySeq[Byte] = {
    val all = new ByteArrayOutputStream
    all.write(kind << 2)
    content.foreach(part => all.writeBytes(part))
    ArraySeq.unsafeWrapArray(all.toByteArray)
  }

  private def long(value: Long): Array[Byte] = little(8)(_.putLong(value))

  private def little(size: Int)(put: ByteBuffer => ByteBuffer): Array[Byte] =
    put(ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)).array
}
