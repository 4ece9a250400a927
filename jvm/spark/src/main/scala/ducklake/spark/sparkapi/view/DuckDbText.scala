package ducklake.spark.sparkapi.view

import ducklake.spark.sparkapi.view.Piece.Blank
import ducklake.spark.sparkapi.view.Piece.Name
import ducklake.spark.sparkapi.view.Piece.Quoted
import ducklake.spark.sparkapi.view.Piece.Sign
import ducklake.spark.sparkapi.view.Piece.Word

import java.util.Locale

/** A view's text as DuckDB stores it, in Spark's spelling. DuckDB stores what it has parsed, so a
  * text has few forms: `count_star()`, `"DATE"`, `~~` for LIKE, `= ANY(SELECT …)` for IN, and
  * brackets around each operation.
  *
  * Source: DuckDB 1.5.5, observed.
  */
private[spark] object DuckDbText {

  /** The text for Spark's parser. A text with a [[doubtIn doubt]] may mean something else. */
  def forSpark(text: String): String = spelled(Piece.of(text).toList, Nil).mkString

  /** The part that Spark's parser may read differently from DuckDB. None without such a part. */
  private[view] def doubtIn(text: String): Option[String] = {
    val pieces = Piece.of(text)
    pieces
      .collectFirst {
        case Name(name) if name.contains('\\') => name
        case Word(word) if JoinWords(word.toLowerCase(Locale.ROOT)) => word
        case Sign(sign) if !Signs(sign) => sign
      }
      .orElse(pieces.tails.collectFirst {
        case Sign(sign @ ("~~" | "!~~")) +: Blank(_) +: rest if !startsWithPattern(rest) => sign
      })
  }

  /** Whether the pattern of LIKE is a constant without a backslash, which is an escape in Spark. */
  private def startsWithPattern(pieces: Seq[Piece]): Boolean =
    pieces.headOption.exists {
      case Quoted(pattern) => !pattern.contains('\\')
      case _ => false
    }

  /** Words between two tables that Spark takes for a table's alias. */
  private val JoinWords = Set("positional", "asof")

  private val Signs = Set("(", ")", ",", ".", ";", "+", "-", "*", "/", "%", "||") ++
    Set("=", "!=", "<>", "<", "<=", ">", ">=", "~~", "!~~")

  /** @param open for each open bracket, the innermost first, whether it belongs to a CAST */
  @annotation.tailrec
  private def spelled(
      pieces: List[Piece],
      open: List[Boolean],
      done: Vector[String] = Vector.empty,
  ): Vector[String] =
    pieces match {
      case Nil => done
      case Quoted(text) :: rest => spelled(rest, open, done :+ quoted(text))
      case Name(name) :: rest if name.drop(1).dropRight(1).contains('"') =>
        spelled(rest, open, done :+ backquoted(name))
      case Word("count_star" | "count") :: Sign("(") :: Sign(")") :: rest =>
        spelled(rest, open, done :+ "count(*)")
      case Word("main") :: Sign(".") :: Word("date_part") :: rest =>
        spelled(rest, open, done :+ "date_part")
      case Sign("=") :: Blank(_) :: Word("ANY") :: (rest @ Sign("(") :: Word("SELECT") :: _) =>
        spelled(rest, open, done :+ "IN ")
      case Sign("~~") :: rest => spelled(rest, open, done :+ "LIKE")
      case Sign("!~~") :: rest => spelled(rest, open, done :+ "NOT LIKE")
      case Word("CAST") :: Sign("(") :: rest => spelled(rest, true :: open, done :+ "CAST(")
      case Word("AS") :: Blank(_) :: kind :: (rest @ Sign(")") :: _)
          if open.headOption.contains(true) =>
        spelled(rest, open, done :+ s"AS ${Types.getOrElse(kind.text, kind.text)}")
      case Sign("(") :: rest => spelled(rest, false :: open, done :+ "(")
      case Sign(")") :: rest => spelled(rest, open.drop(1), done :+ ")")
      case other :: rest => spelled(rest, open, done :+ other.text)
    }

  /** Apostrophes get a backslash: Spark 4.0, and newer versions by a setting, read `''` as nothing.
    */
  private def quoted(text: String): String = {
    val inside = text.drop(1).dropRight(1).replace("\\", "\\\\").replace("''", "\\'")
    s"'$inside'"
  }

  /** Spark 4.0 reads a double quote within double quotes as nothing. */
  private def backquoted(name: String): String = {
    val inside = name.drop(1).dropRight(1).replace("\"\"", "\"").replace("`", "``")
    s"`$inside`"
  }

  private val Types = Map("VARCHAR" -> "STRING", "\"DATE\"" -> "DATE", "\"DOUBLE\"" -> "DOUBLE")
}
