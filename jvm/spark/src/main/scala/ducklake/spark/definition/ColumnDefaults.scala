package ducklake.spark.definition

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.expression.PortableDefault
import ducklake.catalog.types.text.ValueText
import ducklake.catalog.types.text.WrittenText
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.sql.DefaultExpressions
import ducklake.spark.types.SparkTypes

/** Converts the defaults of Spark SQL statements to the form that DuckDB stores and understands.
  *
  * Source: DuckDB 1.5.5, observed (format 2.4); ours, jvm/docs/statements.md,
  * "Defaults".
  */
final class ColumnDefaults(rule: SparkTypes.TimeRule) {
  import ColumnDefaults.Reading

  private val expressions = new DefaultExpressions(DefaultLiterals.typeOf, DefaultLiterals.of)

  /** The column of a new table with its default, as DuckDB would store it for the same SQL text. */
  def ofNewTable(column: Column, sql: String): Column =
    expressions.onlyInDuckDb(sql) match {
      case Some(text) =>
        column.copy(default = Some(ColumnDefault.Expression(text, Some("duckdb"))))
      case None => withReading(column, read(column, sql))
    }

  private def withReading(column: Column, reading: Reading): Column =
    reading.plain.orElse(reading.text.filter(_ => reading.expression.isEmpty)) match {
      case Some(text) =>
        column.copy(default = Some(constant(text)), initialDefault = reading.text)
      case None => column.copy(default = reading.expression)
    }

  /** A column that is added to a table with rows. These rows get the present value of the default.
    */
  def ofAddedColumn(column: Column, sql: String): Column = {
    val reading = read(column, sql)
    column.copy(default = later(reading), initialDefault = reading.text)
  }

  /** The default for later INSERTs. */
  def later(column: Column, sql: String): Option[ColumnDefault] = later(read(column, sql))

  private def later(reading: Reading): Option[ColumnDefault] =
    if (reading.isMomentary) reading.expression
    else reading.plain.orElse(reading.text).map(constant)

  /** A default of literal text. The text `NULL` becomes an expression, because as a literal it
    * means that there is no default.
    */
  private def constant(text: String): ColumnDefault =
    if (text != "NULL") ColumnDefault.LiteralText(text)
    else ColumnDefault.Expression("CAST('NULL' AS VARCHAR)", Some("duckdb"))

  private def read(column: Column, sql: String): Reading =
    column.dataType match {
      case _: LakeType.Nested => ofNested(column, sql)
      case primitive: LakeType.Primitive =>
        val found = expressions.read(sql, SparkTypes.of(column, rule))
        val value = found.value.map { internal =>
          DefaultLiterals
            .of(internal, primitive)
            .getOrElse(refuse(column, sql, notConstant(primitive)))
        }
        val text = value.flatMap(ValueText.print(_, primitive))
        if (text.exists(ValueText.parseCast(_, primitive).isEmpty))
          refuse(column, sql, notConstant(primitive))
        val term = (found.term, value) match {
          case (Some(PortableDefault.Constant(_, typed)), Some(literal)) if isTimestamp(typed) =>
            // Spark's constant is in the session's time zone; the value of the column is not.
            Some(PortableDefault.Constant(literal, primitive))
          case (other, _) => other.filter(_ => value.nonEmpty)
        }
        val expression = term
          .filter(PortableDefault.isSameIn(_, primitive))
          .flatMap(PortableDefault.print)
          .map(ColumnDefault.Expression(_, Some("duckdb")))
        if (found.isMomentary && expression.isEmpty)
          refuse(
            column,
            sql,
            "what it gives changes, and DuckDB has no expression that gives the same",
          )
        val plain = term
          .flatMap(PortableDefault.literalText)
          .filter(WrittenText.parse(_, primitive) == value.map(WrittenText.Value(_)))
        Reading(plain, expression, text, found.isMomentary)
    }

  private def notConstant(lakeType: LakeType): String =
    s"it is no constant of the type ${TypeText.print(lakeType)}"

  private def ofNested(column: Column, sql: String): Reading = {
    val found = expressions.read(sql, SparkTypes.of(column, rule))
    if (found.value.nonEmpty)
      refuse(column, sql, "DuckDB has no defaults of lists, structs and maps but NULL")
    Reading(None, None, None, isMomentary = false)
  }

  private def isTimestamp(lakeType: LakeType.Primitive): Boolean =
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

  /** A default that was parsed.
    *
    * @param plain the number or text as it was written, when it is the column's value
    * @param expression the default as an expression of DuckDB
    * @param text the text of the value; None for NULL
    * @param isMomentary whether the value can change from one evaluation to the next
    */
  final case class Reading(
      plain: Option[String],
      expression: Option[ColumnDefault],
      text: Option[String],
      isMomentary: Boolean,
  )
}
