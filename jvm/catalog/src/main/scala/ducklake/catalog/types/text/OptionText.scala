package ducklake.catalog.types.text

import java.time.Duration
import java.time.Instant
import java.util.Locale

/** Converts values of lake options from the text that users give to the text that DuckDB stores.
  * Left: why the value is refused.
  *
  * Source: DuckDB 1.5.5, observed (format 8.5).
  */
object OptionText {

  def whole(text: String, least: Long, most: Long): Either[String, String] =
    text.trim.toLongOption
      .filter(number => number >= least && number <= most)
      .map(_.toString)
      .toRight(s"it takes a whole number from $least to $most")

  /** A number that DuckDB keeps in 64 bits without a sign. */
  def unsigned(text: String, least: Long): Either[String, String] =
    text.trim match {
      case unsignedPattern(digits) if isUnsigned(BigInt(digits), least) =>
        Right(BigInt(digits).toString)
      case _ => Left(s"it takes a whole number from $least to $mostUnsigned")
    }

  /** A stored number. A number above the largest Long becomes the largest Long: no lake has that
    * many rows or bytes.
    */
  def number(stored: String): Option[Long] =
    unsigned(stored, 0).toOption.map(BigInt(_).min(Long.MaxValue).toLong)

  private def isUnsigned(number: BigInt, least: Long): Boolean =
    number >= least && number <= mostUnsigned

  def flag(text: String): Either[String, String] =
    text.trim.toLowerCase(Locale.ROOT) match {
      case "true" | "1" => Right("true")
      case "false" | "0" => Right("false")
      case _ => Left("it takes true or false")
    }

  /** A codec that both DuckDB and Spark can write. Spark's Parquet library has no brotli. */
  def codec(text: String): Either[String, String] = {
    val name = text.trim.toLowerCase(Locale.ROOT)
    if (codecs.contains(name)) Right(name) else Left(s"it takes one of ${codecs.mkString(", ")}")
  }

  def parquetVersion(text: String): Either[String, String] =
    text.trim.toUpperCase(Locale.ROOT) match {
      case "1" | "V1" => Right("V1")
      case "2" | "V2" => Right("V2")
      case _ => Left("it takes 1 or 2")
    }

  def isolationLevel(text: String): Either[String, String] = {
    val level = text.trim.toLowerCase(Locale.ROOT)
    if (level == "snapshot" || level == "serializable") Right(level)
    else Left("it takes snapshot or serializable")
  }

  /** A share, stored with six digits after the point. */
  def share(text: String): Either[String, String] =
    NumberText
      .float64(text)
      .filter(value => value >= 0 && value <= 1)
      .map(value => String.format(Locale.ROOT, "%.6f", value))
      .toRight("it takes a number from 0 to 1")

  /** An age, stored as the user wrote it. A number alone is refused here: DuckDB reads it as
    * seconds, and hardly anybody wants to expire snapshots after seven seconds.
    */
  def age(text: String): Either[String, String] =
    text match {
      case bareNumberPattern() => Left("it takes an interval with a unit, such as `2 days`")
      case _ if DuckDbIntervalText.parse(text).nonEmpty => Right(text)
      case _ => Left("it takes an interval such as `2 days`")
    }

  /** An age of at least two hours, because streams register once an hour while they are idle. */
  def readerAge(text: String): Either[String, String] =
    age(text).filterOrElse(
      AgeText.before(Instant.EPOCH, _).exists(!_.isAfter(Instant.EPOCH.minus(leastReaderAge))),
      "it takes an interval of at least 2 hours, such as `7 days`",
    )

  private val leastReaderAge = Duration.ofHours(2)

  /** A size: a number with a unit, stored in bytes. A number without a unit is in bytes. */
  def bytes(text: String, least: Long): Either[String, String] =
    text.trim.toLowerCase(Locale.ROOT) match {
      case sizePattern(number, unit) =>
        units
          .get(unit.stripSuffix("s"))
          .map(factor => (BigDecimal(number) * BigDecimal(factor)).toBigInt)
          .filter(isUnsigned(_, least))
          .map(_.toString)
          .toRight(sizeHint)
      case _ => Left(sizeHint)
    }

  private val mostUnsigned = (BigInt(1) << 64) - 1
  private val unsignedPattern = """\+?(\d{1,20})""".r
  private val bareNumberPattern = """@?\s*-?\d+(?:\.\d*)?\s*""".r
  private val sizeHint = "it takes a size such as `128MB` or `64MiB`"
  private val sizePattern = """(\d{1,20}(?:\.\d{1,18})?)\s*([a-z]*)""".r
  private val codecs =
    Vector("uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw")

  private val units: Map[String, Long] = Map(
    "" -> 1L,
    "b" -> 1L,
    "byte" -> 1L,
    "kb" -> 1000L,
    "kilobyte" -> 1000L,
    "mb" -> 1000000L,
    "megabyte" -> 1000000L,
    "gb" -> 1000000000L,
    "gigabyte" -> 1000000000L,
    "tb" -> 1000000000000L,
    "terabyte" -> 1000000000000L,
    "kib" -> (1L << 10),
    "mib" -> (1L << 20),
    "gib" -> (1L << 30),
    "tib" -> (1L << 40),
  )
}
