package ducklake.catalog.types.text

import java.lang.StringBuilder as Buffer

import scala.annotation.tailrec

/** Steps of a parser over one text. Each step takes a position and returns what it has read with
  * the position after it, or the reason why it failed.
  */
private[types] final class TextScanner(val text: String) {
  import TextScanner.Step

  def charAt(at: Int): Option[Char] = Option.when(at < text.length)(text.charAt(at))

  def isAt(at: Int, char: Char): Boolean = charAt(at).contains(char)

  /** The position after blanks. */
  @tailrec
  def skipBlanks(at: Int): Int =
    if (at < text.length && TextScanner.isBlank(text.charAt(at))) skipBlanks(at + 1) else at

  /** Reads the character, with blanks before and after it. */
  def expect(at: Int, char: Char): Either[String, Int] = {
    val start = skipBlanks(at)
    Either.cond(isAt(start, char), skipBlanks(start + 1), s"'$char' expected at character $start")
  }

  /** Reads a keyword in any letter case, with blanks after it. */
  def keyword(at: Int, word: String): Option[Int] =
    Option.when(text.regionMatches(true, at, word, 0, word.length))(skipBlanks(at + word.length))

  /** Reads a quoted string in which quotes and backslashes are escaped by `\`, as in DuckDB's
    * casts.
    */
  def castString(at: Int): Step[String] = {
    @tailrec
    def inside(i: Int, done: Buffer): Step[String] =
      charAt(i) match {
        case None => Left("a quote is not closed")
        case Some('\'') => Right((done.toString, i + 1))
        case Some('\\') if i + 1 < text.length => inside(i + 2, done.append(text.charAt(i + 1)))
        case Some(char) => inside(i + 1, done.append(char))
      }
    inside(at + 1, new Buffer)
  }

  /** Reads a quoted string in which quotes are doubled, as in SQL. */
  def sqlString(at: Int): Step[String] = {
    @tailrec
    def inside(i: Int, done: Buffer): Step[String] =
      charAt(i) match {
        case None => Left("a quote is not closed")
        case Some('\'') if isAt(i + 1, '\'') => inside(i + 2, done.append('\''))
        case Some('\'') => Right((done.toString, i + 1))
        case Some(char) => inside(i + 1, done.append(char))
      }
    inside(at + 1, new Buffer)
  }

  /** Reads up to one of the characters. Blanks at the end are dropped. */
  def until(at: Int, ends: String): (String, Int) = {
    val found = text.indexWhere(char => ends.indexOf(char.toInt) >= 0, at)
    val end = if (found < 0) text.length else found
    (trimEnd(text.substring(at, end)), end)
  }

  /** Reads items between two brackets, separated by commas. */
  def sequence[A](at: Int, open: Char, close: Char)(item: Int => Step[A]): Step[Vector[A]] = {
    @tailrec
    def more(from: Int, done: Vector[A]): Step[Vector[A]] =
      item(from) match {
        case Left(why) => Left(why)
        case Right((value, end)) =>
          val next = skipBlanks(end)
          if (isAt(next, close)) Right((done :+ value, next + 1))
          else
            expect(next, ',') match {
              case Left(why) => Left(why)
              case Right(start) => more(start, done :+ value)
            }
      }
    expect(at, open).flatMap { start =>
      if (isAt(start, close)) Right((Vector.empty, start + 1)) else more(start, Vector.empty)
    }
  }

  private def trimEnd(part: String): String =
    part.substring(0, part.lastIndexWhere(char => !TextScanner.isBlank(char)) + 1)
}

private[types] object TextScanner {
  type Step[A] = Either[String, (A, Int)]

  def isBlank(char: Char): Boolean = " \t\n\u000b\f\r".indexOf(char.toInt) >= 0
}
