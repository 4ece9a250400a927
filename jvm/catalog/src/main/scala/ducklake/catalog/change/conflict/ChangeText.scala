package ducklake.catalog.change.conflict

import ducklake.catalog.error.LakeError

import scala.annotation.tailrec

/** The text of the column `changes_made`: entries `kind:value`, separated by commas.
  *
  * Source: DuckDB 1.5.5 (format 4.4).
  */
object ChangeText {

  /** The text of the changes, each once, in DuckDB's order. */
  def print(changes: Vector[Change]): String =
    changes.distinct
      .sortBy(change => ChangeKind.writingOrder.indexOf(change.kind))
      .map(change => s"${change.kind.token}:${subject(change.subject)}")
      .mkString(",")

  private def subject(subject: ChangeSubject): String = subject match {
    case ChangeSubject.Numbered(id) => id.toString
    case ChangeSubject.Named(parts) =>
      parts.map(part => "\"" + part.replace("\"", "\"\"") + "\"").mkString(".")
  }

  /** The entries in stored order; empty for an empty text. */
  def parse(text: String): Either[LakeError, Vector[Change]] = {
    @tailrec
    def entries(rest: String, done: Vector[Change]): Either[LakeError, Vector[Change]] =
      entry(rest) match {
        case None => Left(LakeError.CorruptCatalog("ducklake_snapshot_changes", s"text `$text`"))
        case Some((change, "")) => Right(done :+ change)
        case Some((change, more)) if more.startsWith(",") => entries(more.drop(1), done :+ change)
        case Some(_) =>
          Left(LakeError.CorruptCatalog("ducklake_snapshot_changes", s"text `$text`"))
      }
    if (text.isEmpty) Right(Vector.empty) else entries(text, Vector.empty)
  }

  private def entry(text: String): Option[(Change, String)] = {
    val (token, value) = text.span(_ != ':')
    ChangeKind.of(token).flatMap { kind =>
      val body = value.drop(1)
      if (body.startsWith("\"")) names(body, Vector.empty).map { case (parts, rest) =>
        Change(kind, ChangeSubject.Named(parts)) -> rest
      }
      else {
        val (digits, rest) = body.span(_.isDigit)
        digits.toLongOption.map(id => Change(kind, ChangeSubject.Numbered(id)) -> rest)
      }
    }
  }

  @tailrec
  private def names(text: String, done: Vector[String]): Option[(Vector[String], String)] =
    quoted(text) match {
      case None => None
      case Some((name, rest)) if rest.startsWith(".") => names(rest.drop(1), done :+ name)
      case Some((name, rest)) => Some((done :+ name, rest))
    }

  /** A quoted name at the start of the text, and the rest of the text. */
  private def quoted(text: String): Option[(String, String)] = {
    @tailrec
    def close(from: Int): Option[Int] =
      text.indexOf("\"", from) match {
        case -1 => None
        case at if text.startsWith("\"\"", at) => close(at + 2)
        case at => Some(at)
      }
    if (!text.startsWith("\"")) None
    else
      close(1).map { end =>
        text.substring(1, end).replace("\"\"", "\"") -> text.substring(end + 1)
      }
  }
}
