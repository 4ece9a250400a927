package ducklake.catalog.sql.query

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.Identifier
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** Translates predicates to conditions on an inlined table. A condition is true for every row that
  * matches. Predicates that the database cannot answer exactly are left out: it stores many types
  * as text, which sorts differently from the values. Pure.
  *
  * @param stored the columns of the inlined table with their names in the database
  * @param present the columns of the table today, whose types the predicates' literals have
  *
  * Source: ours, decision 04.
  */
private[catalog] final class InlinedFilter(
    dialect: Dialect,
    stored: Vector[(Column, String)],
    present: Vector[Column],
) {
  private val storedById: Map[ColumnId, (Column, Identifier)] =
    stored.map { case (column, name) => column.id -> (column, Sql.identifier(name)) }.toMap

  private val presentById: Map[ColumnId, Column] =
    present.map(column => column.id -> column).toMap

  /** None when no predicate can be translated. */
  def condition(predicates: Vector[Predicate]): Option[Sql] =
    predicates.flatMap(necessary).reduceOption((left, right) => sql"$left AND $right")

  /** A condition that is true wherever the predicate is true. */
  private def necessary(predicate: Predicate): Option[Sql] = predicate match {
    case Predicate.And(left, right) => condition(Vector(left, right)).map(both => sql"($both)")
    case Predicate.Or(left, right) =>
      for {
        one <- necessary(left)
        other <- necessary(right)
      } yield sql"($one OR $other)"
    case other => exact(other)
  }

  /** A condition that is true, false or NULL where the predicate is. */
  private def exact(predicate: Predicate): Option[Sql] = predicate match {
    case Predicate.Compare(column, operator, value) => comparison(column, operator, value)
    case Predicate.In(column, values) if values.sizeIs <= InlinedFilter.MostValues =>
      values.map(operands(column, _)).reduceOption(joined).flatten.map { case (own, others) =>
        sql"($own IN ($others))"
      }
    case Predicate.IsNull(column) => nullable(column).map(own => sql"($own IS NULL)")
    case Predicate.IsNotNull(column) => nullable(column).map(own => sql"($own IS NOT NULL)")
    case Predicate.And(left, right) => both(left, right)((a, b) => sql"($a AND $b)")
    case Predicate.Or(left, right) => both(left, right)((a, b) => sql"($a OR $b)")
    case Predicate.Not(child) => exact(child).map(test => sql"(NOT $test)")
    case Predicate.In(_, _) | Predicate.StartsWith(_, _) | Predicate.False => None
  }

  private def both(left: Predicate, right: Predicate)(join: (Sql, Sql) => Sql): Option[Sql] =
    exact(left).flatMap(one => exact(right).map(join(one, _)))

  private def joined(left: Option[(Sql, Sql)], right: Option[(Sql, Sql)]): Option[(Sql, Sql)] =
    left.flatMap { case (own, before) =>
      right.map { case (_, next) => (own, sql"$before, $next") }
    }

  private def comparison(id: ColumnId, operator: Comparison, value: Literal): Option[Sql] =
    value match {
      case Literal.Text(_) if !isEquality(operator) => None
      case _ =>
        operands(id, value).map { case (own, other) => sql"($own ${symbol(operator)} $other)" }
    }

  /** The column and the value in forms that the database compares as Spark does. */
  private def operands(id: ColumnId, value: Literal): Option[(Sql, Sql)] =
    column(id).flatMap { case (earlier, name, today) =>
      value match {
        case Literal.Integral(number) if isWhole(earlier) && isWhole(today) =>
          Some((dialect.inlinedWhole(name), sql"$number"))
        case Literal.Text(text) if earlier == LakeType.Varchar && today == LakeType.Varchar =>
          dialect.inlinedText(name, text)
        case _ => None
      }
    }

  /** The name of a column that holds NULL in the database exactly where Spark reads NULL. Variants
    * have their own NULL.
    */
  private def nullable(id: ColumnId): Option[Identifier] =
    column(id).collect {
      case (earlier, name, today) if hasOneNull(earlier) && hasOneNull(today) => name
    }

  /** A column that the table has now: its type in the inlined table, its name there, its type now.
    */
  private def column(id: ColumnId): Option[(LakeType, Identifier, LakeType)] =
    for {
      (earlier, name) <- storedById.get(id)
      today <- presentById.get(id)
    } yield (earlier.dataType, name, today.dataType)

  private def hasOneNull(lakeType: LakeType): Boolean = lakeType match {
    case LakeType.Variant | LakeType.Unknown(_) | _: LakeType.Nested => false
    case _: LakeType.Primitive => true
  }

  private def isWhole(lakeType: LakeType): Boolean = lakeType match {
    case LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 | LakeType.UInt8 |
        LakeType.UInt16 | LakeType.UInt32 =>
      true
    case _ => false
  }

  private def isEquality(operator: Comparison): Boolean = operator match {
    case Comparison.Equal | Comparison.NotEqual => true
    case Comparison.Less | Comparison.LessOrEqual | Comparison.Greater |
        Comparison.GreaterOrEqual =>
      false
  }

  private def symbol(operator: Comparison): Sql = {
    val text = operator match {
      case Comparison.Equal => "="
      case Comparison.NotEqual => "<>"
      case Comparison.Less => "<"
      case Comparison.LessOrEqual => "<="
      case Comparison.Greater => ">"
      case Comparison.GreaterOrEqual => ">="
    }
    Sql(text, Vector.empty)
  }
}

private object InlinedFilter {

  /** Longer lists are tested after the rows were read. */
  private val MostValues = 500
}
