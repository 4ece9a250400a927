package ducklake.spark.extension

import java.util.Locale

/** DuckDB's words in ALTER TABLE that Spark does not have. Pure.
  *
  * @param table the table's name in its parts
  * @param procedure what does the same
  * @param arguments of the procedure as SQL, behind those that name the table
  */
final case class AlterClause(table: Vector[String], procedure: String, arguments: Vector[String]) {

  /** The same as a CALL.
    *
    * @param catalog of the table
    * @param schema of the table
    */
  def call(catalog: String, schema: String): String = {
    val named = Vector(
      s"table_name => ${AlterClause.text(table.last)}",
      s"schema => ${AlterClause.text(schema)}",
    ) ++ arguments
    s"CALL `${catalog.replace("`", "``")}`.system.$procedure(${named.mkString(", ")})"
  }
}

object AlterClause {

  private val part = """(?:"(?:[^"]|"")++"|`(?:[^`]|``)++`|[A-Za-z_0-9]+)"""
  private val name = s"""($part(?:\\s*\\.\\s*$part)*)"""

  /** Blanks and comments. Possessive, as else each takes a frame of the stack. */
  private val gap = """(?:\s++|--[^\n]*+(?:\n|$)|/\*.*?\*/)*+"""

  private val set =
    s"""(?is)${gap}ALTER\\s+TABLE\\s+$name\\s+SET\\s+(PARTITIONED|SORTED)\\s+BY\\s*\\((.*?)\\)$gap;?$gap""".r

  private val reset =
    s"""(?is)${gap}ALTER\\s+TABLE\\s+$name\\s+RESET\\s+(PARTITIONED|SORTED)\\s+BY$gap;?$gap""".r

  private val notNull =
    s"""(?is)${gap}ALTER\\s+TABLE\\s+$name\\s+ALTER\\s+(?:COLUMN\\s+)?($part)\\s+SET\\s+NOT\\s+NULL$gap;?$gap""".r

  /** None for a statement that is none of these. */
  def parse(sql: String): Option[AlterClause] =
    sql match {
      case set(table, kind, list) =>
        val parameter = if (isPartition(kind)) "transforms" else "expressions"
        val items = split(list).map(text)
        val arguments = Vector(s"$parameter => array(${items.mkString(", ")})")
        Some(AlterClause(parts(table), s"set_${kind.toLowerCase(Locale.ROOT)}_by", arguments))
      case reset(table, kind) =>
        Some(AlterClause(parts(table), s"reset_${kind.toLowerCase(Locale.ROOT)}_by", Vector.empty))
      case notNull(table, column) =>
        val arguments = Vector(s"column => ${text(unquoted(column))}")
        Some(AlterClause(parts(table), "set_not_null", arguments))
      case _ => None
    }

  private def isPartition(kind: String): Boolean = kind.equalsIgnoreCase("partitioned")

  private def parts(name: String): Vector[String] =
    part.r.findAllIn(name).map(unquoted).toVector

  private def unquoted(name: String): String =
    if (name.startsWith("\"")) name.drop(1).dropRight(1).replace("\"\"", "\"")
    else if (name.startsWith("`")) name.drop(1).dropRight(1).replace("``", "`")
    else name

  /** A string constant of Spark's. */
  private[extension] def text(value: String): String =
    value.replace("\\", "\\\\").replace("'", "\\'").mkString("'", "", "'")

  /** At the commas that stand in no parentheses and no quotes. */
  private def split(list: String): Vector[String] = {
    val item = s"""(?:"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|\\([^()]*\\)|[^,"`()])++""".r
    item.findAllIn(list).map(_.trim).filter(_.nonEmpty).toVector
  }
}
