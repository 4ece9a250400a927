package ducklake.catalog.change.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.catalog.types.text.DuckDbNames

/** Changes of a table's sort order.
  *
  * Source: DuckDB 1.5.5, observed (format 8.6).
  */
object SortChange {

  /** A sort key that names its column. */
  final case class NamedKey(column: String, direction: SortDirection, nulls: NullOrder)

  /** Sets the columns by which new rows are sorted; no columns: new rows are not sorted. */
  def set(draft: TableDraft, by: Vector[NamedKey]): SchemaChange.Result = {
    val keys = by.map(key(draft, _))
    keys
      .collectFirst { case Left(error) => Left(error) }
      .getOrElse(
        Right(draft.copy(definition = draft.definition.copy(sort = keys.flatMap(_.toOption))))
      )
  }

  private def key(draft: TableDraft, by: NamedKey): Either[LakeError, SortKey] = {
    val action = s"sort ${draft.table} by `${by.column}`"
    ColumnTree.find(draft.definition.columns, Vector(by.column)) match {
      case None => Left(LakeError.InvalidChange(action, "there is no such column"))
      case Some(column) =>
        if (hasOrder(column)) {
          val expression = DuckDbNames.inExpression(column.name)
          Right(SortKey(expression, Dialect, by.direction, by.nulls))
        } else Left(LakeError.InvalidChange(action, "values of its type have no order"))
    }
  }

  /** Whether rows can be sorted by the column's values. */
  private[schema] def hasOrder(column: Column): Boolean =
    column.dataType match {
      case LakeType.Variant | LakeType.Geometry(_) | LakeType.Unknown(_) => false
      case _ => true
    }

  private[schema] def uses(draft: TableDraft, column: String): Boolean =
    draft.definition.sort.exists(uses(_, column))

  private def uses(key: SortKey, column: String): Boolean =
    SortText.names(key.expression).exists(Names.isSame(_, column))

  /** Whether an expression uses the column at the beginning of the path, and has the name of the
    * struct field at its end: as `(s).a` or `s['a']`.
    */
  private[schema] def usesField(draft: TableDraft, path: Vector[String]): Boolean =
    draft.definition.sort.exists(key =>
      uses(key, path.head) && SortText.fields(key.expression).exists(Names.isSame(_, path.last))
    )

  /** The draft with the column's new name in all its sort expressions. */
  private[schema] def columnRenamed(draft: TableDraft, from: String, to: String): TableDraft = {
    val keys = draft.definition.sort.map { key =>
      key.copy(expression = SortText.replaceNames(key.expression) { name =>
        Option.when(Names.isSame(name, from))(DuckDbNames.inExpression(to))
      })
    }
    draft.copy(definition = draft.definition.copy(sort = keys))
  }

  private val Dialect = "duckdb"
}

/** Finds the column names in an SQL expression of DuckDB. */
private[schema] object SortText {

  private val word = """[A-Za-z_][A-Za-z_0-9]*"""
  private val name = s"""(?:$word|"(?:[^"]|"")*+")"""

  // Possessive, because otherwise each character takes a frame of the stack.
  // Skips string literals, types, collations, the names of functions and of their parameters, and
  // of struct fields. DuckDB takes `n.upper()` as a call for the column `n`.
  private val token = {
    val text = """'(?:[^']|'')*+'"""
    val nested = """\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)"""
    val castTo = s"""\\bAS\\s+[^()]*+(?:$nested[^()]*+)*+"""
    val schema = s"""(?:$name\\.){2,}+|(?:main|pg_catalog)\\."""
    val called = s"""(?:$schema)?$name\\s*(?:\\(|:=)"""
    s"""$text|$castTo|\\bCOLLATE\\s+$name|$called|\\.$name|"((?:[^"]|"")*+)"|($word)""".r
  }

  private val field = s"""'((?:[^']|'')*+)'|\\."((?:[^"]|"")*+)"|\\.($word)""".r

  def names(expression: String): Vector[String] =
    token.findAllMatchIn(expression).flatMap(nameOf).toVector

  /** Texts that may be the name of a struct field: a word after a point, or a string. */
  def fields(expression: String): Vector[String] =
    field
      .findAllMatchIn(expression)
      .flatMap { found =>
        Option(found.group(1))
          .map(_.replace("''", "'"))
          .orElse(Option(found.group(2)).map(_.replace("\"\"", "\"")))
          .orElse(Option(found.group(3)))
      }
      .toVector

  def replaceNames(expression: String)(by: String => Option[String]): String =
    token.replaceAllIn(
      expression,
      found =>
        java.util.regex.Matcher.quoteReplacement(
          nameOf(found).flatMap(by).getOrElse(found.matched)
        ),
    )

  private def nameOf(found: scala.util.matching.Regex.Match): Option[String] =
    Option(found.group(1))
      .map(_.replace("\"\"", "\""))
      .orElse(Option(found.group(2)).filter(isName))

  /** DuckDB prints column names that are keywords in quotes, so a keyword without quotes is no
    * column name.
    */
  private def isName(word: String): Boolean = DuckDbNames.inExpression(word) == word
}
