package ducklake.spark.parquet.vector

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import java.nio.ByteBuffer
import java.nio.ByteOrder

import scala.collection.immutable.ArraySeq

/** Conversions of binary values to DuckDB's text. */
object TextConversions {

  /** Intervals of twelve bytes: months, days and milliseconds. The numbers are unsigned. DuckDB
    * takes months and days as signed.
    */
  val interval: Conversion = text { bytes =>
    val parts = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val micros = Integer.toUnsignedLong(parts.getInt(8)) * 1000L
    printed(Literal.Interval(parts.getInt(0), parts.getInt(4), micros), LakeType.Interval)
  }

  /** UUIDs of sixteen bytes, big-endian. */
  val uuid: Conversion = new Conversion {
    override def text(in: ColumnVector, row: Int): UTF8String = hexGroups(in.getBinary(row))
  }

  /** Bytes without the annotation of a text. Bytes that are not printable ASCII are written as
    * `\xNN`.
    */
  val blob: Conversion = text { bytes =>
    printed(Literal.Bytes(ArraySeq.unsafeWrapArray(bytes)), LakeType.Blob)
  }

  /** Bytes that stay unchanged. */
  val sameBytes: Conversion = new Conversion {
    override def bytes(in: ColumnVector, row: Int): Array[Byte] = in.getBinary(row)
  }

  private def text(of: Array[Byte] => String): Conversion = new Conversion {
    override def text(in: ColumnVector, row: Int): UTF8String =
      UTF8String.fromString(of(in.getBinary(row)))
  }

  private def printed(literal: Literal, lakeType: LakeType.Primitive): String =
    ValueText.print(literal, lakeType).getOrElse("")

  private val digits = "0123456789abcdef".getBytes

  private def hexGroups(bytes: Array[Byte]): UTF8String = {
    // Digits are written by hand: this runs once for every value of a column.
    val text = new Array[Byte](36)
    var at = 0
    var index = 0
    while (index < bytes.length) {
      if (index == 4 || index == 6 || index == 8 || index == 10) {
        text(at) = '-'
        at += 1
      }
      text(at) = digits(bytes(index) >> 4 & 15)
      text(at + 1) = digits(bytes(index) & 15)
      at += 2
      index += 1
    }
    UTF8String.fromBytes(text)
  }
}
