package ducklake.spark.parquet.read

import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.filter2.predicate.FilterPredicate

import java.nio.charset.StandardCharsets.UTF_8

/** Translates our predicates to Parquet's filters for one file. The filters are used only to skip
  * row groups and pages. So a filter may be true for more rows than the predicate, but never for
  * fewer.
  *
  * @param columns leaves of the file that are not inside a list or map
  */
final case class ParquetPredicates(columns: Map[ColumnId, ColumnPlan.Leaf]) {

  private val maxValues = 200

  /** The filter for all predicates; None when no part can be translated. */
  def all(predicates: Vector[Predicate]): Option[FilterPredicate] =
    predicates.flatMap(translate(_, isNegated = false)).reduceOption(FilterApi.and)

  /** A part of a conjunction that cannot be translated is left out. When a part of a disjunction
    * cannot be translated, the whole disjunction is left out.
    */
  private def translate(predicate: Predicate, isNegated: Boolean): Option[FilterPredicate] =
    predicate match {
      case Predicate.And(left, right) =>
        combine(left, right, isNegated, isConjunction = !isNegated)
      case Predicate.Or(left, right) =>
        combine(left, right, isNegated, isConjunction = isNegated)
      case Predicate.Not(child) => translate(child, !isNegated)
      case Predicate.Compare(column, operator, value) =>
        columns.get(column).flatMap { leaf =>
          val effective = if (isNegated) operator.negated else operator
          ParquetColumn.of(leaf).flatMap(_.compare(effective, value))
        }
      case Predicate.In(column, values) if !isNegated && values.sizeIs <= maxValues =>
        columns.get(column).flatMap(ParquetColumn.of).flatMap(_.in(values))
      case Predicate.StartsWith(column, prefix) if !isNegated && prefix.nonEmpty =>
        columns.get(column).flatMap(ParquetColumn.text).map(_.startsWith(prefix.getBytes(UTF_8)))
      case Predicate.IsNull(column) => nulls(column, isNull = !isNegated)
      case Predicate.IsNotNull(column) => nulls(column, isNull = isNegated)
      case _ => None
    }

  private def combine(
      left: Predicate,
      right: Predicate,
      isNegated: Boolean,
      isConjunction: Boolean,
  ): Option[FilterPredicate] = {
    val sides = Vector(left, right).map(translate(_, isNegated))
    if (isConjunction) sides.flatten.reduceOption(FilterApi.and)
    else if (sides.forall(_.nonEmpty)) sides.flatten.reduceOption(FilterApi.or)
    else None
  }

  private def nulls(column: ColumnId, isNull: Boolean): Option[FilterPredicate] =
    columns.get(column).flatMap(ParquetColumn.anyType).map { typed =>
      if (isNull) typed.isNull else typed.isNotNull
    }
}
