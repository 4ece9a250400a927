package ducklake.spark.partitioning

import ducklake.catalog.model.SortKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.Names

/** The columns that a table's rows are sorted by. Source: jvm/docs/writing.md, "Files". */
object SortColumns {

  /** The keys of the dialect `duckdb` with their columns. None when the expression of a key is not
    * a column.
    */
  def of(keys: Vector[SortKey], columns: Vector[Column]): Option[Vector[(SortKey, Column)]] = {
    val own = keys.filter(_.dialect.equalsIgnoreCase("duckdb"))
    val found = own.map(key => column(key.expression, columns))
    Option.when(found.forall(_.nonEmpty))(own.zip(found.flatten))
  }

  /** The column that the text of an expression names. */
  private def column(expression: String, columns: Vector[Column]): Option[Column] = {
    val name = expression.trim match {
      case Quoted(inside) => inside.replace("\"\"", "\"")
      case plain => plain
    }
    Names.find(columns, name)(_.name)
  }

  private val Quoted = """(?s)"((?:[^"]|"")*+)"""".r
}
