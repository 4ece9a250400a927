package ducklake.spark.definition

/** A name that may be quoted as in SQL: in backticks as in Spark, in double quotes as in DuckDB. */
object QuotedName {

  // Possessive, because otherwise each character takes a frame of the stack.
  private val ticked = "`((?:[^`]|``)++)`".r
  private val quoted = "\"((?:[^\"]|\"\")++)\"".r

  /** The name without its quotes; a name that is not quoted as a whole is returned unchanged. */
  def unquoted(text: String): String =
    text.trim match {
      case ticked(name) => name.replace("``", "`")
      case quoted(name) => name.replace("\"\"", "\"")
      case _ => text
    }
}
