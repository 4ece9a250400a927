package ducklake.catalog.types.expression

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.inlined.Defaults

/** A column's default as Spark SQL.
  *
  * Source: ours, jvm/docs/statements.md, "Defaults"; DuckDB 1.5.5, observed, for the texts that
  * it stores (format 2.4).
  */
object DefaultSql {

  /** An expression of DuckDB that is not translated, as Spark SQL that fails with this expression.
    * It resolves, so that Spark reads the table, and is not constant, so that Spark refuses each
    * INSERT that needs it. The same text may have another meaning in Spark.
    */
  private def onlyInDuckDb(text: String): String =
    s"raise_error(${SqlLiteral.escaped(OnlyInDuckDb + text)})"

  /** The expression of DuckDB in the message of an error; None for other messages. */
  def ofMessage(message: String): Option[String] =
    Option.when(message.startsWith(OnlyInDuckDb))(message.stripPrefix(OnlyInDuckDb))

  private val OnlyInDuckDb = "only DuckDB knows the value of "

  /** Spark SQL for the default; None when the column has none. A literal becomes a constant of the
    * column's type. An expression of DuckDB is translated when each of its parts has an equal in
    * Spark, else only an INSERT that needs the default fails. An expression that Spark
    * wrote is returned unchanged, unless Spark would put a setting or a variable of the environment
    * into it.
    */
  def of(column: Column): Option[String] =
    column.default.flatMap {
      case ColumnDefault.LiteralText("NULL") => None
      case ColumnDefault.LiteralText(text) => Some(constant(text, column))
      case ColumnDefault.Expression(text, dialect) =>
        if (dialect.exists(_.equalsIgnoreCase("spark")) && !text.contains("${")) Some(text)
        else Some(translated(text, column).getOrElse(onlyInDuckDb(text)))
    }

  /** The constant for a literal's text. A text whose value is not known here fails, like an
    * expression, where it is needed.
    */
  private def constant(text: String, column: Column): String = {
    val known = column.dataType match {
      case primitive: LakeType.Primitive => DefaultTerm.ofText(text, primitive).map(_.sql)
      case _: LakeType.Nested =>
        Defaults.parse(text, column).toOption.flatMap(literal => render(literal, column))
    }
    known.getOrElse(onlyInDuckDb("'" + text.replace("'", "''") + "'"))
  }

  private def render(literal: Literal, column: Column): Option[String] =
    (literal, column.dataType) match {
      case (value, primitive: LakeType.Primitive) => SqlLiteral.print(value, primitive)
      case (Literal.Null, _) => Some("NULL")
      case (Literal.ListValue(items), _) =>
        call("array", items.map(render(_, column.children(0))))
      case (Literal.StructValue(fields), _) =>
        call(
          "named_struct",
          column.children.zip(fields).flatMap { case (child, field) =>
            Vector(Some(SqlLiteral.quoted(child.name)), render(field, child))
          },
        )
      case (Literal.MapValue(entries), _) =>
        call(
          "map",
          entries.flatMap { case (key, value) =>
            Vector(render(key, column.children(0)), render(value, column.children(1)))
          },
        )
      case _ => None
    }

  private def call(name: String, arguments: Vector[Option[String]]): Option[String] =
    Option.when(arguments.forall(_.nonEmpty))(arguments.flatten.mkString(s"$name(", ", ", ")"))

  private def translated(text: String, column: Column): Option[String] =
    column.dataType match {
      case primitive: LakeType.Primitive =>
        ExpressionSql.translate(text).flatMap(_.storedAs(primitive))
      case _ => None
    }
}
