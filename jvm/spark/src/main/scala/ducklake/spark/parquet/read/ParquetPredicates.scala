package ducklake.spark.parquet.read

import ducklake.catalog.model.ColumnId
import ducklake.catalog.predicate.Predicate
import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.filter2.predicate.FilterPredicate

import java.nio.charset.StandardCharsets.UTF_8

/** Our predicates as Parquet's, for one file. Used only to skip row groups and pages, so the result
  * may hold for more rows than the predicates, never for fewer.
  *
  * @param columns the leaves of the file, none of them inside a list or map
  */
final case class ParquetPredicates(columns: Map[ColumnId, ColumnPlan.Leaf]) {

  private val maxValues = 200

  /** None when nothing can be said. */
  def all(predicates: Vector[Predicate]): Option[FilterPredicate] =
    predicates.flatMap(translate(_, isNegated = false)).reduceOption(FilterApi.and)

  /** A part of a conjunction that cannot be said is left out; of a disjunction it spoils the whole. */
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
