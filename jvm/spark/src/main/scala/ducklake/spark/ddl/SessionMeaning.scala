package ducklake.spark.ddl

import ducklake.spark.sparkapi.view.ViewDefinition
import ducklake.spark.sparkapi.view.ViewNames
import ducklake.spark.table.Views

/** What a view's text means by the session or by the tables of its creation alone. A lake does not
  * store it, so later readers would see something else.
  *
  * @param hint what to write instead
  */
private[ddl] final case class SessionMeaning(why: String, hint: String)

private[ddl] object SessionMeaning {

  /** Throws Spark's ParseException. */
  def of(definition: ViewDefinition): Option[SessionMeaning] = {
    val text = definition.text
    def isSet(key: String, value: String) =
      definition.settings.get(key).exists(_.equalsIgnoreCase(value))
    if (Views.quotesNames(definition.settings) && text.contains('"'))
      bySetting("its names are in double quotes", "Write the names in backquotes.")
    else if (isSet("spark.sql.parser.escapedStringLiterals", "true") && text.contains('\\'))
      bySetting("a backslash in its texts stands for itself", "Write r'…' around such texts.")
    else if (
      isSet("spark.sql.timestampType", "TIMESTAMP_NTZ") && timestamp.findFirstIn(text).nonEmpty
    )
      bySetting("its timestamps have no time zone", "Write TIMESTAMP_NTZ, or to_timestamp_ntz(…).")
    else
      Option.when(
        definition.columns.map(_.name) != definition.queryColumns && ViewNames.followsTables(text)
      )(
        SessionMeaning(
          "it gives names to columns by their places in a table, which may change",
          "Write the columns of the table in the place of `*`.",
        )
      )
  }

  private def bySetting(why: String, hint: String): Option[SessionMeaning] =
    Some(SessionMeaning(s"$why by a setting of the session, which a lake does not store", hint))

  private val timestamp = "(?i)\\b(timestamp|(try_)?(to|make)_timestamp)\\b".r
}
