package ducklake.spark.definition

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnDefault
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.PortableDefault
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.ValueText
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.DefaultExpressions
import ducklake.spark.types.SparkTypes

/** Defaults that Spark SQL gives, as DuckDB stores and understands them.
  *
  * Source: DuckDB 1.5.5, observed (format 2.4); interface 6, last paragraph.
  */
final class ColumnDefaults(rule: SparkTypes.TimeRule) {
  import ColumnDefaults.Reading

  private val expressions = new DefaultExpressions(DefaultLiterals.typeOf, DefaultLiterals.of)

  /** The column of a new table with its default: what DuckDB would store for the same words. */
  def ofNewTable(column: Column, sql: String): Column = {
    val reading = read(column, sql)
    reading.plain.orElse(reading.text.filter(_ => reading.expression.isEmpty)) match {
      case Some(text) =>
        column.copy(default = Some(constant(text)), initialDefault = reading.text)
      case None => column.copy(default = reading.expression)
    }
  }

  /** A column for a table that has rows: they get what the default gives now. */
  def ofAddedColumn(column: Column, sql: String): Column = {
    val reading = read(column, sql)
    column.copy(default = later(reading), initialDefault = reading.text)
  }

  /** What later INSERTs take. */
  def later(column: Column, sql: String): Option[ColumnDefault] = later(read(column, sql))

  private def later(reading: Reading): Option[ColumnDefault] =
    if (reading.isMomentary) reading.expression
    else reading.plain.orElse(reading.text).map(constant)

  /** The text `NULL` as a literal would be no default at all. */
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
            .getOrElse(refuse(column, sql, noValue(primitive)))
        }
        val text = value.flatMap(ValueText.print(_, primitive))
        if (text.exists(ValueText.parseCast(_, primitive).isEmpty))
          refuse(column, sql, noValue(primitive))
        val term = (found.term, value) match {
          case (Some(PortableDefault.Constant(_, typed)), Some(literal)) if isDated(typed) =>
            // A constant of Spark's is one of the session's zone; the column's own value is not.
            Some(PortableDefault.Constant(literal, primitive))
          case (other, _) => other.filter(_ => value.nonEmpty)
        }
        val expression = term
          .filter(found.isMomentary || rounds(primitive) || PortableDefault.isWhole(_))
          .flatMap(PortableDefault.print)
          .map(ColumnDefault.Expression(_, Some("duckdb")))
        if (found.isMomentary && expression.isEmpty)
          refuse(column, sql, "what it gives changes, and DuckDB does not know the function")
        val plain = term
          .flatMap(PortableDefault.literalText)
          .filter(ValueText.parseCast(_, primitive) == value)
        Reading(plain, expression, text, found.isMomentary)
    }

  private def noValue(lakeType: LakeType): String =
    s"it is no constant of the type ${TypeText.print(lakeType)}"

  /** Whether both engines make the same of a fraction; Spark cuts it off for an integer. */
  private def rounds(lakeType: LakeType.Primitive): Boolean =
    ValueText.integer(0, lakeType).isEmpty

  private def ofNested(column: Column, sql: String): Reading = {
    val found = expressions.read(sql, SparkTypes.of(column, rule))
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

  /** @param plain a number or text as it was written, where that is the value
    * @param expression in DuckDB's words
    * @param text of the value, None for NULL
    */
  final case class Reading(
      plain: Option[String],
      expression: Option[ColumnDefault],
      text: Option[String],
      isMomentary: Boolean,
  )
}
