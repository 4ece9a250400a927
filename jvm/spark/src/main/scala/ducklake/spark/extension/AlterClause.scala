package ducklake.spark.extension

import java.util.Locale

/** A clause of ALTER TABLE that DuckDB has and Spark does not have. Pure.
  *
  * @param table the parts of the table's name
  * @param procedure the procedure that does the same
  * @param arguments of the procedure as SQL, after the arguments that name the table
  */
final case class AlterClause(table: Vector[String], procedure: String, arguments: Vector[String]) {

  /** The CALL of the procedure, as SQL.
    *
    * @param catalog the table's catalog
    * @param schema the table's schema
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
  private val name = s"""($part(?:\\s*\\.\\s*$part)*+)"""

  /** White space and comments. Possessive, because otherwise each repetition takes a frame of the
    * stack.
    */
  private val gap = """(?:\s++|--[^\n]*+(?:\n|$)|/\*.*?\*/)*+"""

  private val set =
    s"""(?is)${gap}ALTER\\s+TABLE\\s+$name\\s+SET\\s+(PARTITIONED|SORTED)\\s+BY\\s*\\((.*?)\\)$gap;?$gap""".r

  private val reset =
    s"""(?is)${gap}ALTER\\s+TABLE\\s+$name\\s+RESET\\s+(PARTITIONED|SORTED)\\s+BY$gap;?$gap""".r

  private val notNull =
    s"""(?is)${gap}ALTER\\s+TABLE\\s+$name\\s+ALTER\\s+(?:COLUMN\\s+)?($part)\\s+SET\\s+NOT\\s+NULL$gap;?$gap""".r

  /** The clause of a statement; None for any other statement. */
  def parse(sql: String): Option[AlterClause] =
    sql match {
      case set(table, kind, list) =>
        val parameter = if (isPartition(kind)) "transforms" else "expressions"
        items(list).map { found =>
          val arguments = Vector(s"$parameter => array(${found.map(text).mkString(", ")})")
          AlterClause(parts(table), s"set_${kind.toLowerCase(Locale.ROOT)}_by", arguments)
        }
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

  /** A string literal of Spark SQL. */
  private[extension] def text(value: String): String =
    value.replace("\\", "\\\\").replace("'", "\\'").mkString("'", "", "'")

  /** Strings and quoted names, which are one token; comments; and any other character. */
  private val tokens =
    """(?s)'(?:[^'\\]|\\.|'')*+'|"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|(--[^\n]*|/\*.*?\*/)|.""".r

  /** What stands between the commas outside of brackets, without comments; None when the brackets
    * do not match.
    */
  private def items(list: String): Option[Vector[String]] = {
    var depth = 0
    var isBalanced = true
    val found = Vector.newBuilder[String]
    val item = new StringBuilder
    tokens.findAllMatchIn(list).foreach { token =>
      if (token.group(1) != null) item.append(' ')
      else
        token.matched match {
          case "," if depth == 0 =>
            found += item.toString.trim
            item.clear()
          case other =>
            if (other == "(") depth += 1
            else if (other == ")") depth -= 1
            isBalanced &&= depth >= 0
            item.append(other)
        }
    }
    found += item.toString.trim
    Option.when(isBalanced && depth == 0)(found.result().filter(_.nonEmpty))
  }
}
