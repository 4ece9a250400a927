package ducklake.spark.changes.plan

import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.ChangeSide
import ducklake.spark.changes.FeedKind
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.scalatest.funsuite.AnyFunSuite

class FeedFiltersSpec extends AnyFunSuite {

  private val own = FeedKind.Changes.own.toMap
  private val whole = SnapshotRange(SnapshotId(3), SnapshotId(9))
  private val bothSides = FeedKind.Changes.sides

  private def id(value: Long): Expression = Expressions.literal(value)

  private def text(value: String): Expression = Expressions.literal(value)

  private def compare(column: String, operator: String, values: Expression*): Predicate =
    new Predicate(operator, (Expressions.column(column) +: values).toArray)

  private def left(filters: Predicate*): (Long, Long) = {
    val range = new FeedFilters(own, filters.toVector).within(whole)
    (range.first.value, range.last.value)
  }

  private def sides(filters: Predicate*): Vector[ChangeSide] =
    new FeedFilters(own, filters.toVector).among(bothSides)

  test("comparisons with the snapshot narrow the range") {
    assert(left(compare("snapshot_id", "=", id(5))) == (5L, 5L))
    assert(left(compare("snapshot_id", ">", id(5))) == (6L, 9L))
    assert(
      left(compare("snapshot_id", ">=", id(5)), compare("snapshot_id", "<", id(7))) == (5L, 6L)
    )
    assert(left(compare("snapshot_id", "<=", id(5))) == (3L, 5L))
    assert(left(compare("snapshot_id", "IN", id(8), id(1), id(4))) == (3L, 8L))
    assert(left(compare("snapshot_id", ">", id(Long.MaxValue))) == (Long.MaxValue, 9L))
    assert(left(compare("snapshot_id", "<", id(Long.MinValue))) == (3L, Long.MinValue))
  }

  test("other filters leave the range as it is") {
    val nested =
      new Predicate("=", Array[Expression](Expressions.column("snapshot_id.x"), id(5)))
    val filters = Seq(
      compare("snapshot_id", "<>", id(5)),
      compare("snapshot_id", "=", text("5")),
      compare("snapshot_id", "IS_NOT_NULL"),
      compare("snapshot_id", "=", Expressions.column("a")),
      compare("a", "=", id(5)),
      new Predicate("=", Array[Expression](id(5), Expressions.column("snapshot_id"))),
      nested,
    )

    assert(left(filters: _*) == (3L, 9L))
  }

  test("the type of a change leaves out a side") {
    assert(sides(compare("change_type", "=", text("insert"))) == Vector(ChangeSide.Insertion))
    assert(
      sides(compare("change_type", "IN", text("delete"), text("update_preimage"))) ==
        Vector(ChangeSide.Deletion)
    )
    assert(sides(compare("change_type", "IN", text("insert"), text("delete"))) == bothSides)
    assert(sides(compare("change_type", "=", text("nothing"))).isEmpty)
    assert(sides(compare("change_type", "<>", text("update_preimage"))) == bothSides)
    assert(sides(compare("change_type", "IN", text("insert"), id(1))) == bothSides)
  }
}
