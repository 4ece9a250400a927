package ducklake.catalog.jdbc

import scala.util.matching.Regex
import scala.util.matching.Regex.quoteReplacement

/** An address that was refused, and the reason, as they are shown: without what may be a secret.
  *
  * In an address of keywords all is hidden from the value of the first secret on, because an address
  * that is refused does not tell where this value ends.
  */
private[jdbc] final case class Redaction(address: String, why: String)

private[jdbc] object Redaction {
  private val InAuthority = """(?s)(://[^:/@\s]*):.*@""".r
  private val Secret = """(?i)(?:password|passwd|pwd|secret|token)\w*\s*=\s*""".r
  private val InQuery = new Regex(s"(${Secret.regex})[^&]*")
  private val HasQuery =
    """(?is)\s*(?:jdbc:.*|ducklake:(?:postgres(?:ql)?:)?(?:postgres(?:ql)?:)?//.*)""".r

  def of(address: String, why: String): Redaction = {
    val shown =
      InAuthority.replaceAllIn(address, found => quoteReplacement(found.group(1) + ":***@"))
    if (HasQuery.matches(address))
      Redaction(InQuery.replaceAllIn(shown, found => quoteReplacement(found.group(1) + "***")), why)
    else
      Secret.findFirstMatchIn(shown) match {
        case Some(found) => Redaction(shown.take(found.end) + "***", withoutNames(why))
        case None => Redaction(shown, why)
      }
  }

  /** A name that the parser found may be a part of a secret. */
  private def withoutNames(why: String): String =
    if (why.contains('`')) why.takeWhile(_ != '`') + "`***`" else why
}
