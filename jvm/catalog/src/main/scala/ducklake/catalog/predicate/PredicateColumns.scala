package ducklake.catalog.predicate

import ducklake.catalog.types.ColumnId

/** The columns that a predicate refers to. */
object PredicateColumns {

  def of(predicate: Predicate): Vector[ColumnId] = predicate match {
    case Predicate.Compare(column, _, _) => Vector(column)
    case Predicate.In(column, _) => Vector(column)
    case Predicate.IsNull(column) => Vector(column)
    case Predicate.IsNotNull(column) => Vector(column)
    case Predicate.StartsWith(column, _) => Vector(column)
    case Predicate.And(left, right) => of(left) ++ of(right)
    case Predicate.Or(left, right) => of(left) ++ of(right)
    case Predicate.Not(child) => of(child)
    case Predicate.False => Vector.empty
  }
}
