package ducklake.spark.extension

import java.util.Locale

/** DuckDB's time travel clause in Spark's words. Pure. */
object AtClause {

  /** Text that is no SQL: strings, quoted names, comments. It is passed over; possessive, as else each
    * character takes a frame of the stack.
    */
  private val skipped =
    """'(?:[^'\\]|\\.|'')*+'|"(?:[^"\\]|\\.)*+"|`(?:[^`]|``)*+`|--[^\n]*|/\*(?s:.*?)\*/"""

  private val opening = """(?i)\bAT\s*\(\s*(VERSION|TIMESTAMP)\s*=>\s*"""

  private val tokens = s"(?:$skipped)|($opening)".r

  /** The text with each `AT (VERSION => x)` as `VERSION AS OF x`; None where there is none. */
  def rewrite(sql: String): Option[String] =
    tokens.findAllMatchIn(sql).find(m => Option(m.group(1)).isDefined).flatMap { clause =>
      closing(sql, clause.end).map { end =>
        val value = sql.substring(clause.end, end).trim
        val before = sql.substring(0, clause.start)
        val after = sql.substring(end + 1)
        val spark = s"$before${clause.group(2).toUpperCase(Locale.ROOT)} AS OF $value$after"
        rewrite(spark).getOrElse(spark)
      }
    }

  /** Where the parenthesis closes that is open at `from`. */
  private def closing(sql: String, from: Int): Option[Int] = {
    val marks = s"$skipped|[()]".r.findAllMatchIn(sql.substring(from))
    val depths = marks.scanLeft((1, from)) { case ((depth, _), mark) =>
      val next = mark.matched match {
        case "(" => depth + 1
        case ")" => depth - 1
        case _ => depth
      }
      (next, from + mark.start)
    }
    depths.find(_._1 == 0).map(_._2)
  }
}
