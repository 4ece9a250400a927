package ducklake.catalog.pruning

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

class FirstRowsSpec extends AnyFunSuite {
  private val a = ColumnId(1)
  private val b = ColumnId(2)

  private def key(
      column: ColumnId,
      direction: Direction = Direction.Ascending,
      nullsFirst: Boolean = false,
      lakeType: LakeType.Primitive = LakeType.Int32,
  ): OrderKey = OrderKey(column, lakeType, direction, nullsFirst)

  private val byA = RowOrder(Vector(key(a)), isWhole = true)

  private def whole(value: Long): Literal = Literal.Integral(value)

  private def range(min: Long, max: Long, nulls: Long = 0): ColumnStatistics =
    ColumnStatistics(Some(whole(min)), Some(whole(max)), None, Some(nulls), None, None)

  private def file(rows: Long, statistics: ColumnStatistics): OrderedFile =
    OrderedFile(rows, rows, Map(a -> statistics).get)

  private def upTo(value: Long): Option[Predicate] =
    Some(Predicate.Compare(a, Comparison.LessOrEqual, whole(value)))

  test("only files that begin before the last promised row are needed") {
    val files =
      Vector(file(10, range(30, 39)), file(10, range(0, 9)), file(10, range(5, 19)))

    assert(FirstRows.of(byA, 10, files) == FirstRows(Vector(false, true, true), upTo(9)))
    assert(FirstRows.of(byA, 11, files) == FirstRows(Vector(false, true, true), upTo(19)))
    assert(FirstRows.of(byA, 21, files) == FirstRows(Vector(true, true, true), upTo(39)))
    assert(FirstRows.of(byA, 31, files) == FirstRows(Vector(true, true, true), None))
  }

  test("descending, files with the greatest values are needed") {
    val order = RowOrder(Vector(key(a, Direction.Descending)), isWhole = true)
    val files = Vector(file(10, range(0, 9)), file(10, range(10, 19)), file(10, range(20, 29)))

    val first = FirstRows.of(order, 3, files)

    assert(first.isNeeded == Vector(false, false, true))
    assert(first.bound == Some(Predicate.Compare(a, Comparison.GreaterOrEqual, whole(20))))
  }

  test("of files with one value as many are needed as have the rows") {
    val files = Vector.fill(4)(file(10, range(7, 7)))

    assert(FirstRows.of(byA, 15, files).isNeeded == Vector(true, true, false, false))
    val more = byA.copy(isWhole = false)
    assert(FirstRows.of(more, 15, files).isNeeded == Vector(true, true, true, true))
  }

  test("a second key decides between files with one value of the first") {
    val order = RowOrder(Vector(key(a), key(b, Direction.Descending)), isWhole = true)
    val files = Vector(range(0, 9), range(10, 19), range(20, 29)).map { second =>
      OrderedFile(10, 10, Map(a -> range(7, 7), b -> second).get)
    }

    assert(FirstRows.of(order, 10, files).isNeeded == Vector(false, false, true))
    val unknown = files.updated(0, OrderedFile(10, 10, Map(a -> range(7, 7)).get))
    assert(FirstRows.of(order, 10, unknown).isNeeded == Vector(true, false, true))
  }

  test("deleted rows are not promised, and files without bounds are always needed") {
    val deleted = file(10, range(0, 9)).copy(rows = 4)
    val files = Vector(deleted, file(10, range(10, 19)), file(10, range(20, 29)))

    assert(FirstRows.of(byA, 4, files).isNeeded == Vector(true, false, false))
    assert(FirstRows.of(byA, 5, files).isNeeded == Vector(true, true, false))
    val unknown = OrderedFile(10, 10, _ => None)
    assert(FirstRows.of(byA, 4, files :+ unknown).isNeeded.last)
  }

  test("NULLs count where they stand") {
    val files = Vector(file(10, range(0, 9, nulls = 6)), file(10, range(10, 19)))
    val nullsFirst = RowOrder(Vector(key(a, nullsFirst = true)), isWhole = true)

    assert(FirstRows.of(byA, 4, files).isNeeded == Vector(true, false))
    assert(FirstRows.of(byA, 5, files).isNeeded == Vector(true, true))
    assert(FirstRows.of(nullsFirst, 6, files).isNeeded == Vector(true, false))
    assert(FirstRows.of(nullsFirst, 6, files).bound == Some(Predicate.IsNull(a)))
    assert(FirstRows.of(nullsFirst, 10, files.reverse).isNeeded == Vector(false, true))
  }

  test("a maximum of floats is none where NaN may be") {
    val order = RowOrder(Vector(key(a, lakeType = LakeType.Float64)), isWhole = true)
    def floats(min: Double, max: Double, nan: Option[Boolean]): ColumnStatistics = {
      def bound(value: Double) = Some(Literal.Floating(value))
      ColumnStatistics(bound(min), bound(max), None, Some(0), nan, None)
    }
    def needed(nan: Option[Boolean]) =
      FirstRows
        .of(order, 5, Vector(file(10, floats(0, 1, nan)), file(10, floats(5, 9, nan))))
        .isNeeded

    assert(needed(Some(false)) == Vector(true, false))
    assert(needed(Some(true)) == Vector(true, true))
    assert(needed(None) == Vector(true, true))
  }

  /** Values, directions, counts and what is known are drawn at random; the rows judge. */
  test("the first rows are in the needed files, and meet the bound") {
    val random = new Random(20240316L)
    for (round <- 1 to 20000) {
      val keys = Vector(a, b).take(random.between(1, 3)).map { column =>
        val direction = if (random.nextBoolean()) Direction.Ascending else Direction.Descending
        key(column, direction, random.nextBoolean())
      }
      val order = RowOrder(keys, isWhole = true)
      val partly = RowOrder(keys.take(random.between(1, keys.length + 1)), isWhole = false)
      val known = if (random.nextBoolean()) order else partly
      val files = Vector.fill(random.between(1, 6))(rows(random))
      val shown = files.map(_.filter(_ => random.nextInt(4) > 0))
      val count = random.between(1L, 10L)

      val asked = files.zip(shown).map { case (all, live) =>
        OrderedFile(
          if (random.nextInt(8) == 0) 0L else live.length.toLong,
          all.length.toLong,
          Map(a -> statistics(random, all.map(_._1)), b -> statistics(random, all.map(_._2)))
            .filter(_ => random.nextInt(10) > 0)
            .get,
        )
      }
      val first = FirstRows.of(known, count, asked)

      val read = shown.zip(first.isNeeded).collect { case (live, true) => live }.flatten
      val left = read.filter(row => first.bound.forall(StatsPruning.mayMatchRow(_, value(row))))
      assert(
        sorted(order, left).take(count.toInt) == sorted(order, shown.flatten).take(count.toInt),
        s"round $round: $known, $count of $shown",
      )
    }
  }

  private type Row = (Option[Long], Option[Long])

  private def rows(random: Random): Vector[Row] = {
    val start = random.between(0L, 12L)
    def next = Option.when(random.nextInt(6) > 0)(start + random.between(0L, 3L))
    Vector.fill(random.between(0, 7))((next, next))
  }

  /** Bounds may be wider than the values, and counts missing. */
  private def statistics(random: Random, values: Vector[Option[Long]]): ColumnStatistics = {
    def sometimes[A](known: A) = Option.when(random.nextInt(8) > 0)(known)
    val slack = if (random.nextInt(4) == 0) 1L else 0L
    val present = values.flatten
    ColumnStatistics(
      min = present.minOption.flatMap(least => sometimes(whole(least - slack))),
      max = present.maxOption.flatMap(most => sometimes(whole(most + slack))),
      valueCount = sometimes(present.length.toLong),
      nullCount = sometimes((values.length - present.length).toLong),
      containsNan = None,
      sizeBytes = None,
    )
  }

  private def value(row: Row)(column: ColumnId): Option[Literal] = {
    val found = if (column == a) row._1 else row._2
    Some(found.fold[Literal](Literal.Null)(whole))
  }

  /** The keys of the rows in their order; keys that are left out of the order do not count. */
  private def sorted(order: RowOrder, rows: Vector[Row]): Vector[Vector[Option[Long]]] = {
    val keys = rows.map(row => order.keys.map(key => if (key.column == a) row._1 else row._2))
    keys.sortWith { (left, right) =>
      val places = order.keys.zip(left.zip(right)).map { case (key, (x, y)) =>
        val nulls = if (key.nullsFirst) -1 else 1
        (x, y) match {
          case (None, None) => 0
          case (None, _) => nulls
          case (_, None) => -nulls
          case (Some(m), Some(n)) =>
            if (key.direction == Direction.Ascending) m.compare(n) else n.compare(m)
        }
      }
      places.find(_ != 0).exists(_ < 0)
    }
  }
}
