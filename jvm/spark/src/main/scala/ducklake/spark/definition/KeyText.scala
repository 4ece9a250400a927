package ducklake.spark.definition

import ducklake.catalog.change.schema.PartitionSpecChange
import ducklake.catalog.error.LakeError
import ducklake.catalog.sql.FormatVersion
import ducklake.spark.errors.SparkErrors

/** Parses partition keys, as in DuckDB's SET PARTITIONED BY: `c`, `year(ts)`, `bucket(4, "a b")`.
  *
  * @param version of the lake
  */
final class KeyText(version: FormatVersion) {
  import KeyText.*

  /** The keys of a text. Spark's plural names stand for several keys. Errors: Unsupported. */
  def parse(text: String): Vector[PartitionSpecChange.NamedKey] =
    text match {
      case column(quoted, ticked, plain) =>
        keys("identity", None, unquoted(quoted, ticked, plain), text)
      case call(function, number, quoted, ticked, plain) =>
        keys(function, Option(number).map(_.toInt), unquoted(quoted, ticked, plain), text)
      case _ => refuse(text, KeyFunctions.hint(version))
    }

  private def keys(
      function: String,
      count: Option[Int],
      column: String,
      text: String,
  ): Vector[PartitionSpecChange.NamedKey] =
    KeyFunctions
      .of(function, count, version)
      .fold(refuse(text, _), _.map(PartitionSpecChange.NamedKey(column, _)))

  private def unquoted(quoted: String, ticked: String, plain: String): String =
    Option(quoted)
      .map(_.replace("\"\"", "\""))
      .orElse(Option(ticked).map(_.replace("``", "`")))
      .getOrElse(plain)

  private def refuse(text: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.Unsupported(s"The key ${text.trim}", hint))
}

private object KeyText {

  // Possessive, because otherwise each character takes a frame of the stack.
  private val name = """(?:"((?:[^"]|"")++)"|`((?:[^`]|``)++)`|([A-Za-z_][A-Za-z_0-9]*))"""
  private val column = s"""(?s)\\s*$name\\s*""".r
  private val call =
    s"""(?s)\\s*([A-Za-z_]+)\\s*\\(\\s*(?:(\\d{1,9})\\s*,\\s*)?$name\\s*\\)\\s*""".r
}
