package ducklake.spark.ddl

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnDefault
import ducklake.catalog.types.DefaultTerm
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.ValueText
import ducklake.spark.errors.SparkErrors
import ducklake.spark.internal.DefaultExpressions
import ducklake.spark.types.SparkTypes

/** Defaults that Spark SQL gives, as DuckDB stores and understands them.
  *
  * Source: DuckDB 1.5.5, observed (format 2.4); interface 6, last paragraph.
  */
final class ColumnDefaults(rule: SparkTypes.TimeRule) {
  import ColumnDefaults.Reading

  /** The column of a new table with its default: what DuckDB would store for the same words. */
  def ofNewTable(column: Column, sql: String): Column = {
    val reading = read(column, sql)
    reading.term.flatMap(DefaultTerm.literalText) match {
      case Some(text) =>
        column.copy(
          default = literal(reading, text),
          initialDefault = reading.text,
        )
      case None =>
        val default = reading.expression.orElse(reading.text.map(constant))
        val isLiteral = reading.expression.isEmpty
        column.copy(default = default, initialDefault = reading.text.filter(_ => isLiteral))
    }
  }

  /** A column for a table that has rows: they get what the default gives now. */
  def ofAddedColumn(column: Column, sql: String): Column =
    column.copy(default = later(column, sql), initialDefault = read(column, sql).text)

  /** What later INSERTs take. */
  def later(column: Column, sql: String): Option[ColumnDefault] = {
    val reading = read(column, sql)
    if (reading.isMomentary) reading.expression
    else
      reading.text.map { text =>
        val asWritten = reading.term.flatMap(DefaultTerm.literalText)
        constant(asWritten.getOrElse(text))
      }
  }

  /** The text `NULL` as a literal would be no default at all. */
  private def constant(text: String): ColumnDefault =
    if (text != "NULL") ColumnDefault.LiteralText(text)
    else ColumnDefault.Expression("CAST('NULL' AS VARCHAR)", Some("duckdb"))

  private def literal(reading: Reading, text: String): Option[ColumnDefault] =
    reading.text.map(_ => ColumnDefault.LiteralText(text))

  private def read(column: Column, sql: String): Reading =
    column.dataType match {
      case _: LakeType.Nested => ofNested(column, sql)
      case primitive: LakeType.Primitive =>
        val found = DefaultExpressions.read(sql, SparkTypes.of(column, rule))
        val value = found.value.map { internal =>
          DefaultExpressions
            .literal(internal, primitive)
            .getOrElse(refuse(column, sql, "it has no text in DuckDB"))
        }
        val term = (found.term, value) match {
          case (Some(DefaultTerm.Constant(_, typed)), Some(literal)) if isDated(typed) =>
            // A constant of Spark's is one of the session's zone; the column's own value is not.
            Some(DefaultTerm.Constant(literal, primitive))
          case (other, _) => other
        }
        val expression = term
          .filter(_ => value.nonEmpty)
          .flatMap(DefaultTerm.print)
          .map(ColumnDefault.Expression(_, Some("duckdb")))
        if (found.isMomentary && expression.isEmpty)
          refuse(column, sql, "what it gives changes, and DuckDB does not know the function")
        val text = value.flatMap(ValueText.print(_, primitive))
        Reading(term, expression, text, found.isMomentary)
    }

  private def ofNested(column: Column, sql: String): Reading = {
    val found = DefaultExpressions.read(sql, SparkTypes.of(column, rule))
    if (found.value.nonEmpty)
      refuse(column, sql, "DuckDB has no defaults of lists, structs and maps but NULL")
    Reading(None, None, None, isMomentary = false)
  }

  private def isDated(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Timestamp | LakeType.TimestampTz => true
      case _ => false
    }

  private def refuse(column: Column, sql: String, why: String): Nothing =
    SparkErrors.raise(
      LakeError.InvalidChange(s"give column `${column.name}` the default $sql", why)
    )
}

private object ColumnDefaults {

  /** @param expression in DuckDB's words
    * @param text of the value, None for NULL
    */
  final case class Reading(
      term: Option[DefaultTerm],
      expression: Option[ColumnDefault],
      text: Option[String],
      isMomentary: Boolean,
  )
}
