package ducklake.catalog.types.bound

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.inlined.InlineRange
import ducklake.catalog.types.text.BlobText
import ducklake.catalog.types.text.ValueText

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.immutable.ArraySeq

/** The text of a minimum and maximum in the statistics, as DuckDB writes it, with long texts and
  * blobs truncated.
  *
  * Source: DuckDB 1.5.5, observed (format 3.2).
  */
object BoundText {

  /** The texts of minimum and maximum. None for a bound that is unknown or has no text.
    *
    * Shape: when one of the two bounds is too long and cannot be truncated, both are None, as in
    * DuckDB. A text with a NUL byte is None, because not every catalog database can store it.
    */
  def of(
      min: Option[Literal],
      max: Option[Literal],
      lakeType: LakeType.Primitive,
  ): (Option[String], Option[String]) = {
    val (least, greatest) = truncated(min, max, lakeType)
    (least.flatMap(text(_, lakeType)), greatest.flatMap(text(_, lakeType)))
  }

  /** The bounds as values. A text or blob of more than 256 bytes is truncated: the minimum to its
    * start, the maximum to the next greater value. Other bounds stay as they are, truncated ones
    * too.
    *
    * Shape: None as in [[of]], for texts and blobs.
    */
  def truncated(
      min: Option[Literal],
      max: Option[Literal],
      lakeType: LakeType.Primitive,
  ): (Option[Literal], Option[Literal]) =
    lakeType match {
      case LakeType.Varchar | LakeType.Json => pair(min.map(lowerText), max.map(upperText))
      case LakeType.Blob => pair(min.map(lowerBytes), max.map(upperBytes))
      case _ => (min, max)
    }

  /** Whether a text is as long as one that was truncated, which ends between two characters. */
  def mayBeTruncated(bound: Literal): Boolean = bound match {
    case Literal.Text(text) => text.getBytes(UTF_8).length > maxBytes - maxCharacterBytes
    case _ => false
  }

  /** Whether a stored bound is a value of the type, as every engine assumes. True for types whose
    * bounds are not used.
    */
  def isReadable(text: String, lakeType: LakeType.Primitive): Boolean =
    !TypeTraits.of(lakeType).hasUsableBounds || ValueText.parseStatistic(text, lakeType).nonEmpty

  private val maxBytes = 256
  private val maxCharacterBytes = 4
  private val greatestAscii = 0x7f

  /** The result for one bound. */
  private sealed trait Truncation

  private object Truncation {
    final case class Kept(bound: Literal) extends Truncation
    case object Unknown extends Truncation

    /** The value is too long, and no truncated form is a valid bound. */
    case object NotTruncatable extends Truncation
  }

  private def pair(
      min: Option[Truncation],
      max: Option[Truncation],
  ): (Option[Literal], Option[Literal]) =
    if ((min ++ max).exists(_ == Truncation.NotTruncatable)) (None, None)
    else (kept(min), kept(max))

  private def kept(cut: Option[Truncation]): Option[Literal] =
    cut.collect { case Truncation.Kept(bound) => bound }

  private def lowerText(literal: Literal): Truncation =
    truncatedText(literal)(start => next(start).map(_ => start))

  private def upperText(literal: Literal): Truncation = truncatedText(literal)(next)

  /** @param bound of a text's start; None: no truncated form is a valid bound */
  private def truncatedText(literal: Literal)(bound: String => Option[String]): Truncation =
    literal match {
      case Literal.Text(text) if text.contains('\u0000') => Truncation.Unknown
      case Literal.Text(text) if isShort(text) => Truncation.Kept(literal)
      case Literal.Text(text) => keptOr(bound(start(text)).map(Literal.Text(_)))
      case _ => Truncation.Unknown
    }

  private def keptOr(bound: Option[Literal]): Truncation =
    bound.fold[Truncation](Truncation.NotTruncatable)(Truncation.Kept(_))

  private def isShort(text: String): Boolean =
    text.length <= maxBytes / 3 || text.getBytes(UTF_8).length <= maxBytes

  /** The longest start of the text that fits, cut between characters. */
  private def start(text: String): String = {
    val bytes = text.getBytes(UTF_8)
    val isContinuation = (at: Int) => (bytes(at) & 0xc0) == 0x80
    val end = Iterator.iterate(maxBytes)(_ - 1).dropWhile(isContinuation).next()
    new String(bytes, 0, end, UTF_8)
  }

  /** The shortest text that is greater than all texts with this start. It is made by raising the
    * last ASCII character.
    */
  private def next(text: String): Option[String] = {
    val kept = text.reverse.dropWhile(_ >= greatestAscii).reverse
    kept.lastOption.map(last => kept.dropRight(1) + (last + 1).toChar)
  }

  private def lowerBytes(literal: Literal): Truncation =
    truncatedBytes(literal)(start => nextBytes(start).map(_ => start))

  private def upperBytes(literal: Literal): Truncation = truncatedBytes(literal)(nextBytes)

  private def truncatedBytes(
      literal: Literal
  )(bound: ArraySeq[Byte] => Option[ArraySeq[Byte]]): Truncation =
    literal match {
      case Literal.Bytes(bytes) if bytes.length <= maxBytes => Truncation.Kept(literal)
      case Literal.Bytes(bytes) => keptOr(bound(bytes.take(maxBytes)).map(Literal.Bytes(_)))
      case _ => Truncation.Unknown
    }

  private def nextBytes(bytes: ArraySeq[Byte]): Option[ArraySeq[Byte]] = {
    val kept = bytes.reverse.dropWhile(_ == -1).reverse
    kept.lastOption.map(last => kept.dropRight(1) :+ (last + 1).toByte)
  }

  private def text(bound: Literal, lakeType: LakeType.Primitive): Option[String] =
    lakeType match {
      case LakeType.Blob =>
        PartialFunction.condOpt(bound) { case Literal.Bytes(bytes) =>
          BlobText.printHex(bytes)
        }
      case LakeType.Bool => digit(bound)
      case LakeType.Float32 | LakeType.Float64 => float(bound, lakeType)
      case LakeType.Int128 | LakeType.UInt128 | LakeType.TimeTz | LakeType.Interval |
          LakeType.Variant | LakeType.Geometry(_) | LakeType.Unknown(_) =>
        None
      case LakeType.Date | LakeType.Time | LakeType.TimeNs | LakeType.Timestamp |
          LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs | LakeType.TimestampTz |
          LakeType.TimestampTzNs =>
        temporal(bound, lakeType)
      case _ => ValueText.print(bound, lakeType)
    }

  private def digit(literal: Literal): Option[String] =
    PartialFunction.condOpt(literal) { case Literal.Bool(value) => if (value) "1" else "0" }

  /** None when DuckDB does not read the text back; it would otherwise lose the file or refuse the
    * table.
    */
  private def temporal(literal: Literal, lakeType: LakeType.Primitive): Option[String] =
    Option
      .when(InlineRange.holds(literal, lakeType))(literal)
      .flatMap(ValueText.print(_, lakeType))

  /** The text of a float. NaN is no bound. */
  private def float(literal: Literal, lakeType: LakeType.Primitive): Option[String] =
    literal match {
      case Literal.Floating(value) if value.isNaN => None
      case _ => ValueText.print(literal, lakeType)
    }
}
