package ducklake.catalog.predicate

import ducklake.catalog.predicate.Predicate.And
import ducklake.catalog.predicate.Predicate.Not
import ducklake.catalog.predicate.Predicate.Or

/** Predicates in one order, so that two lists of the same predicates are equal. */
object NormalForm {

  /** The parts of predicates that all must hold, each once. */
  def of(predicates: Vector[Predicate]): Vector[Predicate] =
    ordered(predicates.flatMap(conjuncts))

  private def ordered(predicates: Vector[Predicate]): Vector[Predicate] =
    predicates.map(normal).distinct.sortBy(_.toString)

  private def normal(predicate: Predicate): Predicate = predicate match {
    case _: And => ordered(conjuncts(predicate)).reduceLeft(And.apply)
    case _: Or => ordered(disjuncts(predicate)).reduceLeft(Or.apply)
    case Not(child) => Not(normal(child))
    case other => other
  }

  private def conjuncts(predicate: Predicate): Vector[Predicate] = predicate match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Vector(other)
  }

  private def disjuncts(predicate: Predicate): Vector[Predicate] = predicate match {
    case Or(left, right) => disjuncts(left) ++ disjuncts(right)
    case other => Vector(other)
  }
}
