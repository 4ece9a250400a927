package ducklake.spark.parquet.filter

import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import org.apache.spark.sql.types.DataType

/** A filter as tests on single columns. It may be true for more rows than the filter, but never for
  * fewer: Spark evaluates its filters again.
  */
sealed trait KeyTest {

  /** The tested columns. */
  def columns: Set[ColumnId]
}

object KeyTest {

  /** A column that can be tested.
    *
    * @param shown Spark's type for it
    * @param hasValues whether the values may be compared, and not only tested for NULL: they may not
    *   where they are converted, because a conversion may fail, and is only made for rows that
    *   Spark asks for
    */
  final case class KeyColumn(shown: DataType, lakeType: LakeType, hasValues: Boolean)

  /** True for no row. */
  case object Never extends KeyTest {
    def columns: Set[ColumnId] = Set.empty
  }

  final case class Nulls(column: ColumnId, isNull: Boolean) extends KeyTest {
    def columns: Set[ColumnId] = Set(column)
  }

  /** False for NULL. */
  final case class Values(column: ColumnId, test: ValueTest) extends KeyTest {
    def columns: Set[ColumnId] = Set(column)
  }

  final case class All(parts: Vector[KeyTest]) extends KeyTest {
    def columns: Set[ColumnId] = parts.flatMap(_.columns).toSet
  }

  final case class Any(parts: Vector[KeyTest]) extends KeyTest {
    def columns: Set[ColumnId] = parts.flatMap(_.columns).toSet
  }

  /** The test for filters that all must hold; None when nothing of them can be tested. */
  def of(predicates: Vector[Predicate], columns: Map[ColumnId, KeyColumn]): Option[KeyTest] =
    all(predicates.flatMap(new Translation(columns).translate(_, isNegated = false)))

  private def all(parts: Vector[KeyTest]): Option[KeyTest] =
    if (parts.sizeIs > 1) Some(All(parts)) else parts.headOption

  private final class Translation(columns: Map[ColumnId, KeyColumn]) {

    /** A part of a conjunction that cannot be tested is left out. When a part of a disjunction
      * cannot be tested, the whole disjunction is left out.
      */
    def translate(predicate: Predicate, isNegated: Boolean): Option[KeyTest] =
      predicate match {
        case Predicate.And(left, right) => combined(left, right, isNegated, isAll = !isNegated)
        case Predicate.Or(left, right) => combined(left, right, isNegated, isAll = isNegated)
        case Predicate.Not(child) => translate(child, !isNegated)
        case Predicate.IsNull(column) => nulls(column, isNull = !isNegated)
        case Predicate.IsNotNull(column) => nulls(column, isNull = isNegated)
        case Predicate.False => Option.when(!isNegated)(Never)
        case Predicate.Compare(column, operator, value) =>
          values(column) { known =>
            val effective = if (isNegated) operator.negated else operator
            ValueTests.compare(known.shown, known.lakeType, effective, value)
          }
        case Predicate.In(column, items) =>
          values(column)(known => ValueTests.in(known.shown, known.lakeType, items, isNegated))
        case Predicate.StartsWith(column, prefix) =>
          values(column)(known =>
            ValueTests.startsWith(known.shown, known.lakeType, prefix, isNegated)
          )
      }

    private def combined(
        left: Predicate,
        right: Predicate,
        isNegated: Boolean,
        isAll: Boolean,
    ): Option[KeyTest] = {
      val sides = Vector(left, right).map(translate(_, isNegated))
      if (isAll) all(sides.flatten)
      else if (sides.forall(_.nonEmpty)) Some(Any(sides.flatten))
      else None
    }

    private def nulls(column: ColumnId, isNull: Boolean): Option[KeyTest] =
      Option.when(columns.contains(column))(Nulls(column, isNull))

    private def values(column: ColumnId)(test: KeyColumn => Option[ValueTest]): Option[KeyTest] =
      columns.get(column).filter(_.hasValues).flatMap(test).map(Values(column, _))
  }
}
