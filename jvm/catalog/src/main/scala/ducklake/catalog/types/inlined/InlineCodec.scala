package ducklake.catalog.types.inlined

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralBits
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.binary.VariantBytes
import ducklake.catalog.types.text.BlobText
import ducklake.catalog.types.text.NumberText
import ducklake.catalog.types.text.ValueText

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets

import scala.collection.immutable.ArraySeq

/** Encodes and decodes values of inlined tables. A DuckDB file stores them natively. PostgreSQL and
  * SQLite store texts, bytes and numbers, in forms that differ by DuckDB's version.
  *
  * Source: DuckDB 1.4.4, 1.5.1 and 1.5.5, observed (format 7.3).
  */
object InlineCodec {

  /** The value of a column of the inlined table. `column` is the column as it was when the inlined
    * table was created; [[Promotion]] converts the value to the present type.
    *
    * Errors: InvalidValue when the stored value is no value of the column's type.
    */
  def decode(stored: StoredValue, column: Column): Either[LakeError, Literal] =
    stored match {
      case StoredValue.Null => Right(Literal.Null)
      case StoredValue.Native(literal) => Right(literal)
      case _ =>
        val decoded = column.dataType match {
          case primitive: LakeType.Primitive =>
            primitiveOf(stored, primitive).toRight("it is no value of the type")
          case _: LakeType.Nested => text(stored).flatMap(nested(_, column))
        }
        decoded.left.map { why =>
          LakeError.InvalidValue(
            column.name,
            show(stored),
            TypeText.print(column.dataType),
            why,
          )
        }
    }

  /** The stored form of a value in SQLite, and in PostgreSQL, where it is cast to the column's
    * type. Booleans are stored as 0 and 1, floats as text.
    *
    * None: the value is not of the column's type, or DuckDB would not read the same value back.
    */
  def encode(value: Literal, column: Column): Option[StoredValue] =
    encode(value, column.dataType)(InlineText.nestedText(value, column))

  /** The text that DuckDB casts to the column's type when it inserts the value into a DuckDB file.
    * None also for negative zero, which DuckDB's storage sometimes turns into zero.
    */
  def encodeForCast(value: Literal, column: Column): Option[StoredValue] =
    if (LiteralBits.holdsNegativeZero(value)) None
    else encode(value, column.dataType)(InlineText.nestedNative(value, column))

  private def encode(value: Literal, lakeType: LakeType)(
      nested: => Option[String]
  ): Option[StoredValue] =
    (value, lakeType) match {
      case (Literal.Null, _) => Some(StoredValue.Null)
      case (_, _: LakeType.Nested) => nested.map(StoredValue.Text(_))
      case (_, primitive: LakeType.Primitive) if !InlineRange.holds(value, primitive) => None
      case (Literal.Bool(bool), _) => Some(StoredValue.Whole(if (bool) 1L else 0L))
      case (Literal.Integral(number), _) => Some(StoredValue.Whole(number))
      case (Literal.Bytes(bytes), _) => Some(StoredValue.Bytes(bytes))
      case (_, primitive: LakeType.Primitive) =>
        ValueText.print(value, primitive).map(StoredValue.Text(_))
    }

  /** Decodes a nested value. Lists and maps are cast text. A top-level struct is SQL text when
    * DuckDB 1.5 has written it, and cast text when DuckDB 2.0 or another engine has. The two differ
    * in strings with quotes or backslashes: a text with a backslash is cast text when DuckDB 2.0
    * casts its value to the same text.
    *
    * Source: DuckDB 1.5.5 and 2.0.0, observed (format 7.3); format 14.3.
    */
  private def nested(text: String, column: Column): Either[String, Literal] =
    if (column.dataType == LakeType.StructType) {
      val asCast = NestedText.parseCast(text, column)
      if (
        text.contains('\\') && asCast.exists(
          NestedTextPrinter.DuckDb20.castText(_, column).contains(text)
        )
      )
        asCast
      else NestedText.parseSql(text, column).orElse(asCast)
    } else NestedText.parseCast(text, column)

  private def primitiveOf(stored: StoredValue, lakeType: LakeType.Primitive): Option[Literal] =
    lakeType match {
      case LakeType.Blob | LakeType.Geometry(_) => blob(stored)
      case LakeType.Variant =>
        PartialFunction
          .condOpt(stored) { case StoredValue.Bytes(value) => value }
          .flatMap(VariantBytes.split)
      case LakeType.Varchar | LakeType.Json => text(stored).toOption.map(Literal.Text(_))
      case LakeType.Float32 | LakeType.Float64 => floating(stored, lakeType)
      case LakeType.Decimal(precision, scale) => decimal(stored, precision, scale)
      case _ =>
        stored match {
          case StoredValue.Whole(value) if lakeType == LakeType.Bool =>
            Option.when(value == 0 || value == 1)(Literal.Bool(value == 1))
          case StoredValue.Whole(value) => ValueText.integer(BigInt(value), lakeType)
          case StoredValue.Decimal(value) =>
            exactInteger(value).flatMap(whole => ValueText.integer(whole, lakeType))
          case StoredValue.Text(value) => ValueText.parseCast(value, lakeType)
          case StoredValue.Bytes(_) =>
            text(stored).toOption.flatMap(ValueText.parseCast(_, lakeType))
          case StoredValue.Real(_) | StoredValue.Null | StoredValue.Native(_) => None
        }
    }

  private def blob(stored: StoredValue): Option[Literal] =
    stored match {
      case StoredValue.Bytes(value) => Some(Literal.Bytes(value))
      case StoredValue.Text(value) => BlobText.parseEscaped(value).map(Literal.Bytes(_))
      case _ => None
    }

  private def floating(stored: StoredValue, lakeType: LakeType.Primitive): Option[Literal] =
    stored match {
      case StoredValue.Real(value) => Some(Literal.Floating(atWidth(value, lakeType)))
      case StoredValue.Whole(value) => Some(Literal.Floating(atWidth(value.toDouble, lakeType)))
      case StoredValue.Decimal(value) =>
        Some(Literal.Floating(atWidth(value.doubleValue, lakeType)))
      case _ => text(stored).toOption.flatMap(ValueText.parseCast(_, lakeType))
    }

  private def atWidth(value: Double, lakeType: LakeType.Primitive): Double =
    if (lakeType == LakeType.Float32) value.toFloat.toDouble else value

  private def decimal(stored: StoredValue, precision: Int, scale: Int): Option[Literal] = {
    val plain = stored match {
      case StoredValue.Decimal(value) => Some(value.toString)
      case StoredValue.Whole(value) => Some(value.toString)
      case StoredValue.Real(value) => Some(value.toString)
      case _ => text(stored).toOption
    }
    plain.flatMap(NumberText.exactDecimal(_, precision, scale)).map(Literal.Dec(_))
  }

  private def exactInteger(value: java.math.BigDecimal): Option[BigInt] =
    Option.when(value.signum == 0 || value.stripTrailingZeros.scale <= 0)(
      BigInt(value.toBigInteger)
    )

  private def text(stored: StoredValue): Either[String, String] =
    stored match {
      case StoredValue.Text(value) => Right(value)
      case StoredValue.Bytes(value) => utf8(value)
      case _ => Left("text was expected")
    }

  /** Decodes UTF-8. Java's decoder is faster when it may replace invalid bytes by a mark, so only
    * texts that contain the mark are decoded again strictly.
    */
  private def utf8(bytes: ArraySeq[Byte]): Either[String, String] = {
    val text = new String(bytes.toArray, StandardCharsets.UTF_8)
    if (text.contains("\uFFFD")) strictUtf8(bytes) else Right(text)
  }

  private def strictUtf8(bytes: ArraySeq[Byte]): Either[String, String] =
    try
      Right(StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes.toArray)).toString)
    catch { case _: CharacterCodingException => Left("the bytes are no UTF-8 text") }

  private def show(stored: StoredValue): String =
    stored match {
      case StoredValue.Text(value) => s"`${cut(value)}`"
      case StoredValue.Bytes(value) => s"the bytes ${cut(BlobText.printHex(value))}"
      case StoredValue.Whole(value) => value.toString
      case StoredValue.Real(value) => value.toString
      case StoredValue.Decimal(value) => value.toString
      case StoredValue.Null | StoredValue.Native(_) => "a value"
    }

  /** The start of a long text, for error messages. */
  private def cut(text: String): String =
    if (text.length <= 200) text else text.take(200) + "…"
}
