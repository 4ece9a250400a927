package ducklake.catalog.predicate

import ducklake.catalog.predicate.Predicate.And
import ducklake.catalog.predicate.Predicate.IsNotNull
import ducklake.catalog.predicate.Predicate.IsNull
import ducklake.catalog.predicate.Predicate.Not
import ducklake.catalog.predicate.Predicate.Or
import ducklake.catalog.predicate.Predicate.StartsWith
import ducklake.catalog.types.ColumnId
import org.scalatest.funsuite.AnyFunSuite

final class NormalFormSpec extends AnyFunSuite {

  private val a = IsNull(ColumnId(1))
  private val b = IsNotNull(ColumnId(2))
  private val c = StartsWith(ColumnId(3), "x")

  test("the order of predicates does not matter") {
    assert(NormalForm.of(Vector(a, b, c)) == NormalForm.of(Vector(c, a, b)))
    assert(NormalForm.of(Vector(a, b, c)).toSet == Set(a, b, c))
  }

  test("predicates that all must hold are parts of the list, each once") {
    assert(NormalForm.of(Vector(And(a, And(b, a)), b)) == NormalForm.of(Vector(b, a)))
  }

  test("the order of alternatives does not matter") {
    val first = NormalForm.of(Vector(Or(a, Or(And(b, c), a))))

    assert(first == NormalForm.of(Vector(Or(Or(And(c, b), a), And(b, c)))))
    assert(first == Vector(Or(And(b, c), a)) || first == Vector(Or(a, And(b, c))))
  }

  test("what is negated keeps its meaning") {
    assert(NormalForm.of(Vector(Not(Or(b, a)))) == NormalForm.of(Vector(Not(Or(a, b)))))
    assert(NormalForm.of(Vector(Not(And(b, a)))) != NormalForm.of(Vector(Not(Or(a, b)))))
    assert(NormalForm.of(Vector(Not(a))) != NormalForm.of(Vector(a)))
  }

  test("no predicate stays none") {
    assert(NormalForm.of(Vector.empty) == Vector.empty)
  }
}
