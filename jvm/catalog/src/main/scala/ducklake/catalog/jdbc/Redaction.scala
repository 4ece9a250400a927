package ducklake.catalog.jdbc

/** Hides the secrets in an address. Every address that is shown is redacted here. */
object Redaction {
  private val InAuthority = """(?i)(://[^:/@\s]*):.*@""".r
  private val InKeyword =
    """(?i)\b(password|passwd|pwd|secret|token)(\s*=\s*)('(?:\\.|[^'\\])*'|[^\s&;]*)""".r

  def of(address: String): String = {
    val withoutAuthority =
      InAuthority.replaceAllIn(address, found => quote(found.group(1) + ":***@"))
    InKeyword.replaceAllIn(
      withoutAuthority,
      found => quote(found.group(1) + found.group(2) + "***"),
    )
  }

  private def quote(text: String): String = scala.util.matching.Regex.quoteReplacement(text)
}
