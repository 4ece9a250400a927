package ducklake.spark.extension.foreign

import ducklake.spark.errors.DuckLakeException

import scala.util.matching.Regex

/** Refuses DuckDB's statements about whole lakes, which Spark cannot parse. The error says what to
  * do instead. All other statements keep the parser's own error.
  */
object DuckDbStatements {

  /** The statement begins with these words, and then names a lake. */
  private final case class Known(words: Regex, what: String, instead: String)

  private val name = "(`(?:[^`]|``)++`|\"[^\"]++\"|\\w++)"

  private def known(words: String, what: String, instead: String): Known =
    Known(s"(?is)${ForeignStatements.gap}$words\\s*+(?:;\\s*+)?".r, what, instead)

  private val aboutLakes = Vector(
    known(
      s"(?:FORCE\\s+)?CHECKPOINT\\s+$name",
      "CHECKPOINT",
      "All upkeep of a lake is done by `CALL lake.system.checkpoint()`.",
    ),
    known(
      s"DETACH\\s+(?:DATABASE\\s+)?(?:IF\\s+EXISTS\\s+)?$name",
      "DETACH",
      "A lake is known as long as its settings `spark.sql.catalog.lake…` are there, and needs no end.",
    ),
  )

  private val attach = s"(?is)${ForeignStatements.gap}ATTACH\\s[^']*'ducklake:.*+".r

  /** Throws Unsupported for a statement of DuckDB about a lake. Does nothing for other statements.
    *
    * @param isLake whether a lake with this name exists
    * @param cause the parser's error
    */
  def refuse(sql: String, isLake: String => Boolean, cause: Exception): Unit =
    if (attach.matches(sql))
      throw refusal(
        "ATTACH",
        "Spark knows a lake by its settings: `SET spark.sql.catalog.lake = " +
          "ducklake.spark.DuckLakeCatalog`, then `SET spark.sql.catalog.lake.uri = ducklake:…` with " +
          "the address of the ATTACH.",
        cause,
      )
    else
      aboutLakes.foreach { each =>
        sql match {
          case each.words(lake) if isLake(unquoted(lake)) =>
            throw refusal(s"${each.what} of ${unquoted(lake)}", each.instead, cause)
          case _ => ()
        }
      }

  private def refusal(what: String, instead: String, cause: Exception): DuckLakeException = {
    val refused = ForeignStatements.refusal(what, instead)
    refused.addSuppressed(cause)
    refused
  }

  private def unquoted(name: String): String =
    if (name.startsWith("\"")) name.drop(1).dropRight(1) else ForeignStatements.unquoted(name)
}
