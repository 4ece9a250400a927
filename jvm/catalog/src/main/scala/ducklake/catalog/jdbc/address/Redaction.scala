package ducklake.catalog.jdbc.address

import scala.util.matching.Regex
import scala.util.matching.Regex.quoteReplacement

/** A refused address and the reason, as they are shown to users: without parts that may be a
  * secret.
  *
  * In an address of keywords everything from the value of the first secret on is hidden, because a
  * refused address does not show where this value ends. The text between the first `:` after the
  * kind and the last `@` may be a password, in an address of any form.
  */
private[address] final case class Redaction(address: String, why: String)

private[address] object Redaction {
  private val Kind =
    """(?i)\s*(?:(?:ducklake|jdbc):)?(?:(?:sqlite|duckdb|postgres|postgresql|mysql):)?""".r
  private val BeforeHost = """(?s):(?!//).*@""".r
  private val Secret = """(?i)(?:password|passwd|pwd|secret|token)\w*\s*=\s*""".r
  private val InQuery = new Regex(s"(${Secret.regex})[^&]*")
  private val Named = """(?s)^((?:[^`]|`[=?]`)*+)`.*$""".r
  private val HasQuery =
    """(?is)\s*(?:jdbc:.*|ducklake:(?:postgres(?:ql)?:)?(?:postgres(?:ql)?:)?//.*)""".r

  def of(address: String, why: String): Redaction = {
    val kind = Kind.findPrefixOf(address).getOrElse("")
    val rest = address.drop(kind.length)
    val shown = kind + BeforeHost.replaceFirstIn(rest, ":***@")
    val reason = if (BeforeHost.findFirstIn(rest).isEmpty) why else withoutNames(why)
    if (HasQuery.matches(address)) Redaction(InQuery.replaceAllIn(shown, hidden(_)), reason)
    else
      Secret.findFirstMatchIn(shown) match {
        case Some(found) => Redaction(shown.take(found.end) + "***", withoutNames(why))
        case None => Redaction(shown, reason)
      }
  }

  private def hidden(found: Regex.Match): String = quoteReplacement(found.group(1) + "***")

  /** A name in the parser's message may be a part of a secret. */
  private def withoutNames(why: String): String = Named.replaceFirstIn(why, "$1`***`")
}
