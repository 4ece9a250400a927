package ducklake.catalog.jdbc.address

import scala.annotation.tailrec

/** Parses libpq's `keyword=value` text. Values with blanks are in single quotes, and a backslash
  * escapes the next character.
  *
  * Source: PostgreSQL 16, "Connection Strings".
  */
private[address] object Conninfo {

  /** Keywords and values in order. Left: the error in the text. */
  def parse(text: String): Either[String, Vector[(String, String)]] =
    pairs(text.toList, Vector.empty)

  @tailrec
  private def pairs(
      rest: List[Char],
      done: Vector[(String, String)],
  ): Either[String, Vector[(String, String)]] =
    rest.dropWhile(_.isWhitespace) match {
      case Nil => Right(done)
      case start =>
        val (name, afterName) = start.span(char => char != '=' && !char.isWhitespace)
        afterName.dropWhile(_.isWhitespace) match {
          case '=' :: more =>
            value(more.dropWhile(_.isWhitespace)) match {
              case Right((text, remaining)) => pairs(remaining, done :+ (name.mkString -> text))
              case Left(why) => Left(s"$why after `${name.mkString}=`")
            }
          case _ => Left(s"lacks `=` after `${name.mkString}`")
        }
    }

  private def value(rest: List[Char]): Either[String, (String, List[Char])] = rest match {
    case '\'' :: quoted => inQuotes(quoted, new StringBuilder)
    case _ => Right(bare(rest, new StringBuilder))
  }

  @tailrec
  private def inQuotes(
      rest: List[Char],
      built: StringBuilder,
  ): Either[String, (String, List[Char])] = rest match {
    case '\\' :: kept :: more => inQuotes(more, built.append(kept))
    case '\'' :: more => Right((built.toString, more))
    case char :: more => inQuotes(more, built.append(char))
    case Nil => Left("has an open quote")
  }

  @tailrec
  private def bare(rest: List[Char], built: StringBuilder): (String, List[Char]) = rest match {
    case '\\' :: kept :: more => bare(more, built.append(kept))
    case char :: more if !char.isWhitespace => bare(more, built.append(char))
    case _ => (built.toString, rest)
  }
}
