package ducklake.spark.sparkapi.sql

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText
import org.apache.spark.sql.catalyst.expressions
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.types.DayTimeIntervalType
import org.apache.spark.sql.types.YearMonthIntervalType

/** Reads intervals from text in DuckDB's spelling or in the spelling of Spark's casts: `INTERVAL
  * '1-2' YEAR TO MONTH`.
  */
object SparkIntervals {

  def parse(text: String): Option[Literal.Interval] =
    if (text.regionMatches(true, 0, "INTERVAL '", 0, 10)) ofSpark(text)
    else
      ValueText.parseCast(text, LakeType.Interval).collect { case interval: Literal.Interval =>
        interval
      }

  private def ofSpark(text: String): Option[Literal.Interval] =
    try
      CatalystSqlParser.parseExpression(text) match {
        case expressions.Literal(months: Int, _: YearMonthIntervalType) =>
          Some(Literal.Interval(months, 0, 0L))
        case expressions.Literal(micros: Long, _: DayTimeIntervalType) =>
          Some(Literal.Interval(0, (micros / microsPerDay).toInt, micros % microsPerDay))
        case _ => None
      }
    catch {
      case _: ParseException => None
      case _: IllegalArgumentException => None // Spark's own, for a number with a wrong unit
    }

  private val microsPerDay = 86400000000L
}
