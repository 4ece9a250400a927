package ducklake.spark.types

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import org.apache.spark.types.variant.Variant
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.types.variant.VariantBuilder.FieldEntry
import org.apache.spark.types.variant.VariantUtil
import org.apache.spark.unsafe.types.VariantVal

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.ArrayList

import scala.collection.immutable.ArraySeq

/** Variants in the form that Spark reads. Parquet's variants may hold times of day and timestamps
  * in nanoseconds, for which Spark's variants have no type. Times of day become text, and
  * nanoseconds are rounded down to microseconds, as in columns of those types (jvm/docs/types.md).
  *
  * Source: Parquet format, VariantEncoding, version 1; Spark 4.2's `VariantUtil` for the types that
  * Spark knows.
  */
object SparkVariants {

  /** The encoding of the variant's own null. DuckDB stores it in place of NULL. */
  val nullValue: ArraySeq[Byte] = ArraySeq[Byte](0)

  private val timeMicros = 17
  private val timestampNanos = 18
  private val timestampLocalNanos = 19
  private val nanosPerMicro = 1000L

  /** The variant of these bytes, in the form that Spark reads. */
  def readable(value: Array[Byte], metadata: Array[Byte]): VariantVal =
    if (isKnown(value)) new VariantVal(value, metadata)
    else {
      val builder = new VariantBuilder(false)
      append(value, 0, metadata, builder)
      built(builder)
    }

  /** The finished value of a builder. */
  def built(builder: VariantBuilder): VariantVal = {
    val result = builder.result()
    new VariantVal(result.getValue, result.getMetadata)
  }

  /** Appends the value that starts at offset `at`. */
  def append(value: Array[Byte], at: Int, metadata: Array[Byte], to: VariantBuilder): Unit =
    basicType(value, at) match {
      case VariantUtil.OBJECT =>
        val start = to.getWritePos
        val fields = new ArrayList[FieldEntry]
        appendFields(value, at, metadata, start, fields, to)
        to.finishWritingObject(start, fields)
      case VariantUtil.ARRAY =>
        val start = to.getWritePos
        val offsets = new ArrayList[Integer]
        elements(value, at).foreach { element =>
          offsets.add(to.getWritePos - start)
          append(value, element, metadata, to)
        }
        to.finishWritingArray(start, offsets)
      case _ => appendPrimitive(value, at, metadata, to)
    }

  /** Appends the fields of the object at offset `at` to the object that begins at `start` of `to`.
    */
  def appendFields(
      value: Array[Byte],
      at: Int,
      metadata: Array[Byte],
      start: Int,
      fields: ArrayList[FieldEntry],
      to: VariantBuilder,
  ): Unit =
    entries(value, at).foreach { case (id, content) =>
      appendField(VariantUtil.getMetadataKey(metadata, id), start, fields, to)(
        append(value, content, metadata, to)
      )
    }

  /** Appends one field; `content` appends the field's value. */
  def appendField(
      name: String,
      start: Int,
      fields: ArrayList[FieldEntry],
      to: VariantBuilder,
  )(content: => Unit): Unit = {
    fields.add(new FieldEntry(name, to.addKey(name), to.getWritePos - start))
    content
  }

  /** DuckDB's text of a time of day. */
  def clock(micros: Long): String =
    ValueText.print(Literal.Time(micros), LakeType.Time).getOrElse(micros.toString)

  private def appendPrimitive(
      value: Array[Byte],
      at: Int,
      metadata: Array[Byte],
      to: VariantBuilder,
  ): Unit =
    if (isKnown(value, at)) to.appendVariant(new Variant(value.drop(at), metadata))
    else {
      val ticks = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong(at + 1)
      VariantUtil.getTypeInfo(value, at) match {
        case `timeMicros` => to.appendString(clock(ticks))
        case `timestampNanos` => to.appendTimestamp(Math.floorDiv(ticks, nanosPerMicro))
        case _ => to.appendTimestampNtz(Math.floorDiv(ticks, nanosPerMicro))
      }
    }

  /** Whether Spark's variants have a type for the value and for all values inside it. */
  def isKnown(value: Array[Byte]): Boolean = isKnown(value, 0)

  private def isKnown(value: Array[Byte], at: Int): Boolean =
    basicType(value, at) match {
      case VariantUtil.OBJECT => entries(value, at).forall(entry => isKnown(value, entry._2))
      case VariantUtil.ARRAY => elements(value, at).forall(isKnown(value, _))
      case VariantUtil.PRIMITIVE =>
        VariantUtil.getTypeInfo(value, at) match {
          case `timeMicros` | `timestampNanos` | `timestampLocalNanos` => false
          case _ => true
        }
      case _ => true
    }

  /** The number in so many bytes, the lowest byte first. Not all versions of Spark publish theirs. */
  private[types] def unsigned(bytes: Array[Byte], at: Int, size: Int): Int =
    (0 until size).foldLeft(0)((sum, i) => sum | ((bytes(at + i) & 0xff) << (8 * i)))

  private[types] def basicType(value: Array[Byte], at: Int): Int =
    value(at) & ((1 << VariantUtil.BASIC_TYPE_BITS) - 1)

  /** The dictionary id of each field's name, and the offset of the field's value. */
  private[types] def entries(value: Array[Byte], at: Int): Vector[(Int, Int)] =
    VariantUtil.handleObject(
      value,
      at,
      (size: Int, idSize: Int, offsetSize: Int, idStart: Int, offsetStart: Int, dataStart: Int) =>
        Vector.tabulate(size) { field =>
          val id = unsigned(value, idStart + field * idSize, idSize)
          val offset =
            unsigned(value, offsetStart + field * offsetSize, offsetSize)
          (id, dataStart + offset)
        },
    )

  /** The offsets of an array's elements. */
  private[types] def elements(value: Array[Byte], at: Int): Vector[Int] =
    VariantUtil.handleArray(
      value,
      at,
      (size: Int, offsetSize: Int, offsetStart: Int, dataStart: Int) =>
        Vector.tabulate(size) { element =>
          dataStart +
            unsigned(value, offsetStart + element * offsetSize, offsetSize)
        },
    )
}
