package ducklake.catalog.types.expression

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.Micros
import ducklake.catalog.types.text.BlobText
import ducklake.catalog.types.text.NumberText
import ducklake.catalog.types.text.TemporalText
import ducklake.catalog.types.text.ValueText

import java.time.LocalDate
import java.time.LocalDateTime
import java.time.ZoneOffset

/** Prints values as constants of Spark SQL, with the Spark type in which their DuckLake type is
  * read.
  */
private[expression] object SqlLiteral {

  /** The constant; None when Spark has no such constant. */
  def print(literal: Literal, lakeType: LakeType.Primitive): Option[String] =
    literal match {
      case Literal.Null => Some("NULL")
      case Literal.Bool(value) => Some(if (value) "TRUE" else "FALSE")
      case Literal.Integral(value) => Some(s"$value${suffix(lakeType)}")
      case Literal.BigIntegral(value) =>
        Option.when(value.abs.toString.length <= decimalDigits)(s"${value}BD")
      case Literal.Floating(value) => Some(floating(value, lakeType))
      case Literal.Dec(value) => Some(s"${value.toPlainString}BD")
      case Literal.Text(value) => Some(quoted(value))
      case Literal.Bytes(value) => Some(s"X'${BlobText.printHex(value)}'")
      case Literal.Date(days) => Some(date(days))
      case Literal.Timestamp(ticks) => Some(timestamp(ticks, lakeType))
      case Literal.Uuid(_) | Literal.Time(_) | Literal.TimeTz(_, _) | Literal.Interval(_, _, _) =>
        ValueText.print(literal, lakeType).map(quoted)
      case Literal.Variant(_, _) | Literal.ListValue(_) | Literal.StructValue(_) |
          Literal.MapValue(_) =>
        None
    }

  /** A text that is the same for each setting of Spark's parser. It has no escapes, because
    * `spark.sql.parser.escapedStringLiterals` makes them part of the text, and no `${`, because
    * Spark replaces `${…}` by a setting or a variable of the environment, within constants too.
    */
  def quoted(text: String): String =
    text.split(betweenPieces).toVector.map(piece) match {
      case Vector(one) => one
      case several => several.mkString("concat(", ", ", ")")
    }

  private def piece(text: String): String =
    text match {
      case "'" | "\\" | "\u0000" | "\n" | "\r" => s"chr(${text.head.toInt})"
      case plain => s"'$plain'"
    }

  /** Before and after each character that needs an escape, and between `$` and `{`. */
  private val betweenPieces = {
    val special = """['\\\x00\n\r]"""
    s"(?=$special)|(?<=$special)|(?<=\\$$)(?=\\{)"
  }

  /** A string constant with escapes, for texts that are shown to users. */
  def escaped(text: String): String = {
    val escaped = text
      .flatMap {
        case '\'' => "\\'"
        case '\\' => "\\\\"
        case '\u0000' => "\\0"
        case '\n' => "\\n"
        case '\r' => "\\r"
        case char => char.toString
      }
      .replace("${", "\\u0024{")
    s"'$escaped'"
  }

  private val decimalDigits = 38

  private def suffix(lakeType: LakeType): String =
    lakeType match {
      case LakeType.Int8 => "Y"
      case LakeType.Int16 | LakeType.UInt8 => "S"
      case LakeType.Int64 | LakeType.UInt32 => "L"
      case _ => ""
    }

  private def floating(value: Double, lakeType: LakeType): String = {
    val (name, mark, digits) =
      if (lakeType == LakeType.Float32) ("FLOAT", "F", NumberText.printFloat32(value))
      else ("DOUBLE", "D", NumberText.printFloat64(value))
    if (value.isNaN) s"CAST('NaN' AS $name)"
    else if (value.isInfinite) s"CAST('${if (value > 0) "" else "-"}Infinity' AS $name)"
    else s"$digits$mark"
  }

  private def date(days: Int): String = {
    val day = LocalDate.ofEpochDay(days.toLong)
    if (day.getYear >= 1 && day.getYear <= 9999) s"DATE '$day'" else s"date_from_unix_date($days)"
  }

  /** An instant that is the same local time in each time zone: the zone of Spark's session applies.
    *
    * @param ticks of the local time
    */
  def inSessionZone(ticks: Long, lakeType: LakeType): String =
    s"TIMESTAMP_LTZ '${localTime(ticks, lakeType)}'"

  private def timestamp(ticks: Long, lakeType: LakeType): String = {
    val text = localTime(ticks, lakeType)
    if (ValueText.hasZone(lakeType)) s"TIMESTAMP '$text+00:00'" else s"TIMESTAMP_NTZ '$text'"
  }

  /** A time in microseconds, Spark's unit. Infinite timestamps are the extreme values. */
  private def localTime(ticks: Long, lakeType: LakeType): String = {
    val perSecond = ValueText.ticksPerSecond(lakeType)
    val isInfinite = Math.abs(ticks) == TemporalText.InfiniteTicks
    val unit = if (isInfinite) Micros.PerSecond else perSecond
    val moment = LocalDateTime.ofEpochSecond(
      Math.floorDiv(ticks, unit),
      (Math.floorMod(ticks, unit) * (TemporalText.NanosPerSecond / unit) / 1000 * 1000).toInt,
      ZoneOffset.UTC,
    )
    val clock = TemporalText.printTime(moment.toLocalTime.toNanoOfDay, TemporalText.NanosPerSecond)
    s"${moment.toLocalDate} $clock"
  }
}
