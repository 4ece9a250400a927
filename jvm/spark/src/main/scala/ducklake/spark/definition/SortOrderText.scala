package ducklake.spark.definition

import ducklake.catalog.change.schema.SortChange
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.spark.errors.SparkErrors

import java.util.Locale

/** Parses sort orders, as in the table property `ducklake.sorted-by` and in DuckDB's SET SORTED BY:
  * `a ASC NULLS LAST, "b c" DESC`.
  */
object SortOrderText {

  // Possessive, because otherwise each character takes a frame of the stack.
  private val key =
    """(?is)\s*(?:"((?:[^"]|"")++)"|`((?:[^`]|``)++)`|([A-Za-z_][A-Za-z_0-9]*))(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?\s*""".r

  /** The keys of a list with commas, in order. Errors: Unsupported for a key that is not a plain
    * column.
    */
  def parse(text: String): Vector[SortChange.NamedKey] =
    split(text).map(parseKey)

  /** A single key. Errors: Unsupported for a key that is not a plain column. */
  def parseKey(text: String): SortChange.NamedKey =
    text match {
      case key(quoted, ticked, plain, direction, nulls) =>
        val name = Option(quoted)
          .map(_.replace("\"\"", "\""))
          .orElse(Option(ticked).map(_.replace("``", "`")))
          .getOrElse(plain)
        SortChange.NamedKey(
          name,
          if (lower(direction).contains("desc")) SortDirection.Descending
          else SortDirection.Ascending,
          if (lower(nulls).contains("first")) NullOrder.First else NullOrder.Last,
        )
      case _ =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"The sort key `${text.trim}`",
            "Sort by columns: `a ASC NULLS LAST, b DESC`. Other expressions can be set in DuckDB.",
          )
        )
    }

  private def lower(word: String): Option[String] = Option(word).map(_.toLowerCase(Locale.ROOT))

  /** Splits at the commas outside of quotes. */
  private def split(text: String): Vector[String] = {
    val part = """(?:"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|[^,"`])++""".r
    part.findAllIn(text).toVector.filter(_.trim.nonEmpty)
  }
}
