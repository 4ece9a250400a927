package ducklake.spark.extension.foreign

import ducklake.spark.session.Namespaces

/** The table of a lake that a statement names.
  *
  * @param schema the names that lead to the table's schema
  */
final case class StatementTable(lake: String, schema: Vector[String], table: String) {

  /** The name in a statement, in quotes where it needs them. */
  def sql: String = (lake +: schema :+ table).map(StatementTable.identifier).mkString(".")

  /** The name of a table about the table. */
  def sql(about: String): String = s"$sql.$about"

  /** The start of a call of a procedure of the lake. */
  def call(procedure: String): String =
    s"CALL ${StatementTable.identifier(lake)}.system.$procedure"

  /** The name as the first argument of a procedure. The schema `main` is left out. */
  def argument: String =
    StatementTable.text(
      if (schema == Vector(Namespaces.Default) && !table.contains('.')) table
      else (schema :+ table).mkString(".")
    )

  /** The name as named arguments of a procedure, which are exact for every name. */
  def arguments: String =
    s"table_name => ${StatementTable.text(table)}, " +
      s"schema => ${StatementTable.text(Namespaces.textOf(schema))}"
}

object StatementTable {

  private[foreign] def identifier(name: String): String =
    if (name.matches("[A-Za-z_][A-Za-z_0-9]*")) name else "`" + name.replace("`", "``") + "`"

  /** A string literal of Spark SQL. */
  private def text(value: String): String =
    value.replace("\\", "\\\\").replace("'", "\\'").mkString("'", "", "'")
}
