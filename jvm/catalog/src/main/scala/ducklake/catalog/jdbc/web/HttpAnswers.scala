package ducklake.catalog.jdbc.web

import java.net.http.HttpResponse

/** What the head of an HTTP answer says. Java's own reader of numbers throws for some texts. */
object HttpAnswers {

  /** None when the field is not there, or is empty. */
  def field(answer: HttpResponse[?], name: String): Option[String] =
    Option(answer.headers.firstValue(name).orElse("")).filter(_.nonEmpty)

  /** The bytes of the whole file; None when the answer does not say it. */
  def length(answer: HttpResponse[?]): Option[Long] =
    field(answer, "Content-Length").flatMap(_.toLongOption).filter(_ >= 0)

  /** How the body is compressed, though nobody asked for it. Such a body is not the file. */
  def coding(answer: HttpResponse[?]): Option[String] =
    field(answer, "Content-Encoding").filterNot(_ == "identity")
}
