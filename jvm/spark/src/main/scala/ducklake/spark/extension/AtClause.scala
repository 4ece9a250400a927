package ducklake.spark.extension

import java.util.Locale

import scala.util.matching.Regex.Match

/** Rewrites DuckDB's time travel clause to Spark's. Pure. */
object AtClause {

  /** A clause in a statement.
    *
    * @param start where `AT` begins
    * @param value where the value begins
    * @param end where the bracket stands that closes the clause
    */
  private final case class Clause(word: String, start: Int, value: Int, end: Int)

  /** Strings, quoted names and comments, which are skipped. Possessive, because otherwise each
    * character takes a frame of the stack.
    */
  private val skipped =
    """'(?:[^'\\]|\\.|'')*+'|"(?:[^"\\]|\\.)*+"|`(?:[^`]|``)*+`|--[^\n]*|/\*(?s:.*?)\*/"""

  private val opening = """(?i)\bAT\s*+\(\s*+(VERSION|TIMESTAMP)\s*+=>\s*+"""

  private val tokens = s"$skipped|($opening)|[()]".r

  /** The statement with each `AT (VERSION => x)` rewritten to `VERSION AS OF x`, and likewise for
    * TIMESTAMP. None without an AT clause.
    */
  def rewrite(sql: String): Option[String] = {
    val found = clauses(sql)
    Option.when(found.nonEmpty) {
      val openings = found.map(each => (each.start, each.value, s"${each.word} AS OF "))
      val closings = found.map(each => (endOfValue(sql, each), each.end + 1, ""))
      replaced(sql, (openings ++ closings).sortBy(_._1))
    }
  }

  /** The clauses that are closed. A bracket within a clause belongs to its value. */
  private def clauses(sql: String): Vector[Clause] = {
    val none = (List.empty[Option[Match]], Vector.empty[Clause])
    tokens
      .findAllMatchIn(sql)
      .foldLeft(none) { case ((open, found), mark) =>
        (mark.matched, open) match {
          case (_, _) if Option(mark.group(1)).isDefined => (Some(mark) :: open, found)
          case ("(", _) => (None :: open, found)
          case (")", Some(clause) :: outer) => (outer, found :+ closed(clause, mark.start))
          case (")", _) => (open.drop(1), found)
          case _ => (open, found)
        }
      }
      ._2
  }

  private def closed(clause: Match, end: Int): Clause =
    Clause(clause.group(2).toUpperCase(Locale.ROOT), clause.start, clause.end, end)

  /** Without the blanks before the bracket. */
  private def endOfValue(sql: String, clause: Clause): Int =
    (clause.end to clause.value by -1)
      .find(at => at == clause.value || !Character.isWhitespace(sql(at - 1)))
      .getOrElse(clause.value)

  /** @param edits ranges of the text and what stands there instead, in order */
  private def replaced(sql: String, edits: Vector[(Int, Int, String)]): String = {
    val text = new StringBuilder
    val last = edits.foldLeft(0) { case (from, (start, end, instead)) =>
      text.append(sql.substring(from, start)).append(instead): Unit
      end
    }
    text.append(sql.substring(last)).toString
  }
}
