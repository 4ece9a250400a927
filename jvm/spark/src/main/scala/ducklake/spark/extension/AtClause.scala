package ducklake.spark.extension

import java.util.Locale

/** Rewrites DuckDB's time travel clause to Spark's. Pure. */
object AtClause {

  /** Strings, quoted names and comments, which are skipped. Possessive, because otherwise each
    * character takes a frame of the stack.
    */
  private val skipped =
    """'(?:[^'\\]|\\.|'')*+'|"(?:[^"\\]|\\.)*+"|`(?:[^`]|``)*+`|--[^\n]*|/\*(?s:.*?)\*/"""

  private val opening = """(?i)\bAT\s*\(\s*(VERSION|TIMESTAMP)\s*=>\s*"""

  private val tokens = s"(?:$skipped)|($opening)".r

  /** The statement with each `AT (VERSION => x)` rewritten to `VERSION AS OF x`, and likewise for
    * TIMESTAMP. None without an AT clause.
    */
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

  /** The index of the `)` that closes the parenthesis open at `from`. */
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
