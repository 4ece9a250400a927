package ducklake.catalog.types

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.Column

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets

import scala.collection.immutable.ArraySeq

/** How a value sits in an inlined table: natively in a DuckDB file; as text, bytes and numbers in
  * PostgreSQL and SQLite, differently by version.
  *
  * Source: DuckDB 1.4.4, 1.5.1 and 1.5.5, observed (format 7.3).
  */
object InlineCodec {

  /** The value of a column of the inlined table. `column` is the column as it was when the inlined
    * table was made: see [[Promotion]] for what is made of it today.
    *
    * Errors: InvalidValue when what is stored is no value of the column's type.
    */
  def decode(stored: Stored, column: Column): Either[LakeError, Literal] =
    stored match {
      case Stored.Null => Right(Literal.Null)
      case Stored.Native(literal) => Right(literal)
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

  /** What is stored for the value where an inlined table has numbers, texts and bytes: in SQLite, and in
    * PostgreSQL where it is cast to the column's type. Bools are 0 and 1, floats text.
    *
    * None: DuckDB would not read the same value back, or the value is not of the column's type.
    */
  def encode(value: Literal, column: Column): Option[Stored] =
    encode(value, column.dataType)(InlineText.nestedText(value, column))

  /** The same for a DuckDB file, where a nested value is stored natively: text that DuckDB casts to the
    * column's type. Its storage takes negative zero for zero now and then.
    */
  def encodeForCast(value: Literal, column: Column): Option[Stored] =
    if (LiteralBits.holdsNegativeZero(value)) None
    else encode(value, column.dataType)(InlineText.nestedNative(value, column))

  private def encode(value: Literal, lakeType: LakeType)(
      nested: => Option[String]
  ): Option[Stored] =
    (value, lakeType) match {
      case (Literal.Null, _) => Some(Stored.Null)
      case (_, _: LakeType.Nested) => nested.map(Stored.Text(_))
      case (_, primitive: LakeType.Primitive) if !InlineRange.holds(value, primitive) => None
      case (Literal.Bool(bool), _) => Some(Stored.Whole(if (bool) 1L else 0L))
      case (Literal.Integral(number), _) => Some(Stored.Whole(number))
      case (Literal.Bytes(bytes), _) => Some(Stored.Bytes(bytes))
      case (_, primitive: LakeType.Primitive) =>
        ValueText.print(value, primitive).map(Stored.Text(_))
    }

  /** A struct at the top is SQL text. One that is not, such as another engine may have written, is
    * cast text, like lists and maps.
    */
  private def nested(text: String, column: Column): Either[String, Literal] =
    if (column.dataType == LakeType.StructType)
      NestedText.parseSql(text, column).orElse(NestedText.parseCast(text, column))
    else NestedText.parseCast(text, column)

  private def primitiveOf(stored: Stored, lakeType: LakeType.Primitive): Option[Literal] =
    lakeType match {
      case LakeType.Blob | LakeType.Geometry(_) => blob(stored)
      case LakeType.Varchar | LakeType.Json => text(stored).toOption.map(Literal.Text(_))
      case LakeType.Float32 | LakeType.Float64 => floating(stored, lakeType)
      case LakeType.Decimal(precision, scale) => decimal(stored, precision, scale)
      case _ =>
        stored match {
          case Stored.Whole(value) if lakeType == LakeType.Bool =>
            Option.when(value == 0 || value == 1)(Literal.Bool(value == 1))
          case Stored.Whole(value) => ValueText.integer(BigInt(value), lakeType)
          case Stored.Decimal(value) =>
            exactInteger(value).flatMap(whole => ValueText.integer(whole, lakeType))
          case Stored.Text(value) => ValueText.parseCast(value, lakeType)
          case Stored.Bytes(_) => text(stored).toOption.flatMap(ValueText.parseCast(_, lakeType))
          case Stored.Real(_) | Stored.Null | Stored.Native(_) => None
        }
    }

  private def blob(stored: Stored): Option[Literal] =
    stored match {
      case Stored.Bytes(value) => Some(Literal.Bytes(value))
      case Stored.Text(value) => BlobText.parseEscaped(value).map(Literal.Bytes(_))
      case _ => None
    }

  private def floating(stored: Stored, lakeType: LakeType.Primitive): Option[Literal] =
    stored match {
      case Stored.Real(value) => Some(Literal.Floating(atWidth(value, lakeType)))
      case Stored.Whole(value) => Some(Literal.Floating(atWidth(value.toDouble, lakeType)))
      case Stored.Decimal(value) => Some(Literal.Floating(atWidth(value.doubleValue, lakeType)))
      case _ => text(stored).toOption.flatMap(ValueText.parseCast(_, lakeType))
    }

  private def atWidth(value: Double, lakeType: LakeType.Primitive): Double =
    if (lakeType == LakeType.Float32) value.toFloat.toDouble else value

  private def decimal(stored: Stored, precision: Int, scale: Int): Option[Literal] = {
    val plain = stored match {
      case Stored.Decimal(value) => Some(value.toString)
      case Stored.Whole(value) => Some(value.toString)
      case Stored.Real(value) => Some(value.toString)
      case _ => text(stored).toOption
    }
    plain.flatMap(NumberText.exactDecimal(_, precision, scale)).map(Literal.Dec(_))
  }

  private def exactInteger(value: java.math.BigDecimal): Option[BigInt] =
    Option.when(value.signum == 0 || value.stripTrailingZeros.scale <= 0)(
      BigInt(value.toBigInteger)
    )

  private def text(stored: Stored): Either[String, String] =
    stored match {
      case Stored.Text(value) => Right(value)
      case Stored.Bytes(value) => utf8(value)
      case _ => Left("text was expected")
    }

  /** Java is quick where it may put a mark for bytes that are wrong; only texts with the mark in them are
    * read strictly.
    */
  private def utf8(bytes: ArraySeq[Byte]): Either[String, String] = {
    val text = new String(bytes.toArray, StandardCharsets.UTF_8)
    if (text.contains("\uFFFD")) strictUtf8(bytes) else Right(text)
  }

  private def strictUtf8(bytes: ArraySeq[Byte]): Either[String, String] =
    try
      Right(StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes.toArray)).toString)
    catch { case _: CharacterCodingException => Left("the bytes are no UTF-8 text") }

  private def show(stored: Stored): String =
    stored match {
      case Stored.Text(value) => s"`${cut(value)}`"
      case Stored.Bytes(value) => s"the bytes ${cut(BlobText.printHex(value))}"
      case Stored.Whole(value) => value.toString
      case Stored.Real(value) => value.toString
      case Stored.Decimal(value) => value.toString
      case Stored.Null | Stored.Native(_) => "a value"
    }

  /** Enough of a long text to find it by. */
  private def cut(text: String): String =
    if (text.length <= 200) text else text.take(200) + "…"
}
