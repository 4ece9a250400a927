package ducklake.catalog.types

/** A node of a table's schema: a column, a struct field, a list element, a map key or a map value.
  *
  * @param nullsAllowed has a meaning on top-level columns only; nested nodes are always nullable
  * @param initialDefault literal text for rows of files that lack the column; None: NULL
  * @param default the value of the column for an INSERT that leaves the column out; None: no
  *   default
  * @param children fields of a struct in order; `element` of a list; `key`, `value` of a map
  *
  * Source: spec 1.0, ducklake_column.
  */
final case class Column(
    id: ColumnId,
    name: String,
    dataType: LakeType,
    nullsAllowed: Boolean,
    initialDefault: Option[String],
    default: Option[ColumnDefault],
    comment: Option[String],
    children: Vector[Column],
)

/** A stored default: a literal's text, or an expression in some engine's SQL. */
sealed trait ColumnDefault {
  def text: String
}

object ColumnDefault {
  final case class LiteralText(text: String) extends ColumnDefault
  final case class Expression(text: String, dialect: Option[String]) extends ColumnDefault
}
