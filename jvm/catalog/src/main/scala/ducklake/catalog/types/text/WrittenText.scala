package ducklake.catalog.types.text

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

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
      case LakeType.TimestampTz | LakeType.TimestampTzNs if !TemporalText.hasOffset(text) =>
        TemporalText.parseLocal(text, ValueText.ticksPerSecond(lakeType)).map(LocalInstant(_))
      case LakeType.TimeTz if !TemporalText.hasOffset(text) => None
      case _ => ValueText.parseCast(text, lakeType).map(Value(_))
    }
}
