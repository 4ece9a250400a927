package ducklake.catalog.types.text

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

import java.util.Locale

/** Texts as users wrote them, which DuckDB casts again in each session: literals of defaults, and
  * casts in default expressions. [[ValueText]] parses the texts that DuckDB prints.
  *
  * Source: DuckDB 1.5.5, observed, tests/e2e/test_duckdb_defaults.py.
  */
object WrittenText {

  /** The result of DuckDB's cast of a text. */
  sealed trait Cast

  final case class Value(literal: Literal) extends Cast

  /** An instant in the time zone of the session.
    *
    * @param ticks of the local time
    */
  final case class LocalInstant(ticks: Long) extends Cast

  /** None when the cast fails, and for a time whose offset is that of the session. */
  def parse(text: String, lakeType: LakeType.Primitive): Option[Cast] =
    lakeType match {
      case _ if isEpoch(text) && epochs.contains(lakeType) => epochs.get(lakeType).map(Value(_))
      case LakeType.TimestampTz | LakeType.TimestampTzNs if !TemporalText.hasOffset(text) =>
        TemporalText.parseLocal(text, ValueText.ticksPerSecond(lakeType)).map(LocalInstant(_))
      case LakeType.TimeTz if !TemporalText.hasOffset(text) => None
      case LakeType.Interval => DuckDbIntervalText.parse(text).map(Value(_))
      case LakeType.Float32 | LakeType.Float64 | LakeType.Decimal(_, _) =>
        value(withoutUnderscores(text), lakeType)
      case whole if ValueText.isInteger(whole) => value(plainInteger(text, whole), whole)
      case _ => value(text, lakeType)
    }

  private def value(text: String, lakeType: LakeType.Primitive): Option[Cast] =
    ValueText.parseCast(text, lakeType).map(Value(_))

  private def isEpoch(text: String): Boolean = text.trim.toLowerCase(Locale.ROOT) == "epoch"

  private val epochs: Map[LakeType, Literal] =
    Map[LakeType, Literal](LakeType.Date -> Literal.Date(0)) ++
      Vector(
        LakeType.Timestamp,
        LakeType.TimestampS,
        LakeType.TimestampMs,
        LakeType.TimestampNs,
        LakeType.TimestampTz,
        LakeType.TimestampTzNs,
      ).map(_ -> Literal.Timestamp(0))

  /** The types of at most 64 bits, which alone have hexadecimal and binary numbers. */
  private def isNarrow(integer: LakeType): Boolean =
    integer != LakeType.Int128 && integer != LakeType.UInt128

  private def withoutUnderscores(text: String): String = underscorePattern.replaceAllIn(text, "")

  private def plainInteger(text: String, lakeType: LakeType): String =
    text match {
      case hexPattern(digits) if isNarrow(lakeType) => BigInt(digits.replace("_", ""), 16).toString
      case binaryPattern(digits) if isNarrow(lakeType) =>
        BigInt(digits.replace("_", ""), 2).toString
      case other => withoutUnderscores(other)
    }

  private val underscorePattern = """(?<=\d)_(?=\d)""".r
  private val hexPattern = """0[xX]([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)""".r
  private val binaryPattern = """0[bB]([01]+(?:_[01]+)*)""".r
}
