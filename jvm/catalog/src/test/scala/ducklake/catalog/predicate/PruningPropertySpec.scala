package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.predicate.Predicate.*
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

/** No file is left out that holds a matching row, and none taken whole that holds another one: random
  * values, as few kinds of them as make them meet, and random predicates, judged row by row with the
  * rules written down here once more.
  */
class PruningPropertySpec extends AnyFunSuite {
  private val seed = 20240315L
  private val rounds = 20000
  private val a = ColumnId(1)
  private val b = ColumnId(2)

  private type Row = Map[ColumnId, Literal]

  private val kinds: Vector[(LakeType.Primitive, Random => Literal)] = Vector(
    LakeType.Int32 -> (r => Literal.Integral(r.between(-3L, 4L))),
    LakeType.Float64 -> (r => Literal.Floating(pick(r, floats))),
    LakeType.Varchar -> (r => Literal.Text(pick(r, texts))),
    LakeType.Date -> (r => Literal.Date(pick(r, days))),
    LakeType.Timestamp -> (r => Literal.Timestamp(pick(r, days).toLong * 43200000000L / 2)),
    LakeType.Decimal(6, 2) -> (r =>
      Literal.Dec(java.math.BigDecimal.valueOf(r.between(-2L, 3L), 2))
    ),
  )

  private val floats =
    Vector(Double.NaN, Double.NegativeInfinity, -0.0, 0.0, 0.1, 0.1f.toDouble, 1.5, 1e300)

  private val texts = Vector("", "a", "aa", "ab", "b", "é", "\uffee", "🦆", "🦆a")
  private val days = Vector(-735160, -719163, -1, 0, 1, 366, 19723, 20000, 20100)

  private def pick[A](r: Random, from: Vector[A]): A = from(r.nextInt(from.size))

  private def compareValues(left: Literal, right: Literal): Int =
    (left, right) match {
      case (Literal.Integral(x), Literal.Integral(y)) => x.compare(y)
      case (Literal.Floating(x), Literal.Floating(y)) =>
        if (x.isNaN || y.isNaN) x.isNaN.compare(y.isNaN) else if (x < y) -1 else if (x > y) 1 else 0
      case (Literal.Text(x), Literal.Text(y)) =>
        val pairs = x.getBytes(UTF_8).map(_ & 0xff).zipAll(y.getBytes(UTF_8).map(_ & 0xff), -1, -1)
        pairs.collectFirst { case (i, j) if i != j => i.compare(j) }.getOrElse(0)
      case (Literal.Date(x), Literal.Date(y)) => x.compare(y)
      case (Literal.Timestamp(x), Literal.Timestamp(y)) => x.compare(y)
      case (Literal.Dec(x), Literal.Dec(y)) => x.compareTo(y)
      case _ => fail(s"$left against $right")
    }

  /** SQL's answer for one row: None is NULL. */
  private def answer(p: Predicate, row: Row): Option[Boolean] =
    p match {
      case Compare(_, _, Literal.Null) => None
      case Compare(column, operator, value) =>
        known(row(column)).map(x => holds(operator, compareValues(x, value)))
      case In(column, values) =>
        known(row(column)).map(x => values.exists(compareValues(x, _) == 0))
      case IsNull(column) => Some(row(column) == Literal.Null)
      case IsNotNull(column) => Some(row(column) != Literal.Null)
      case StartsWith(column, prefix) =>
        known(row(column)).collect { case Literal.Text(text) => text.startsWith(prefix) }
      case And(left, right) =>
        (answer(left, row), answer(right, row)) match {
          case (Some(false), _) | (_, Some(false)) => Some(false)
          case (Some(true), Some(true)) => Some(true)
          case _ => None
        }
      case Or(left, right) => answer(Not(And(Not(left), Not(right))), row)
      case Not(child) => answer(child, row).map(!_)
      case False => Some(false)
    }

  private def known(value: Literal): Option[Literal] = Option.when(value != Literal.Null)(value)

  private def holds(operator: Comparison, order: Int): Boolean =
    operator match {
      case Comparison.Equal => order == 0
      case Comparison.NotEqual => order != 0
      case Comparison.Less => order < 0
      case Comparison.LessOrEqual => order <= 0
      case Comparison.Greater => order > 0
      case Comparison.GreaterOrEqual => order >= 0
    }

  private val operators = Vector(
    Comparison.Equal,
    Comparison.NotEqual,
    Comparison.Less,
    Comparison.LessOrEqual,
    Comparison.Greater,
    Comparison.GreaterOrEqual,
  )

  private def predicate(r: Random, make: Map[ColumnId, () => Literal], depth: Int): Predicate = {
    val column = if (r.nextBoolean()) a else b
    def leaf: Predicate =
      (r.nextInt(7), make(column)()) match {
        case (0, _) => IsNull(column)
        case (1, _) => IsNotNull(column)
        case (2, value) => In(column, Vector(value, make(column)()))
        case (3, Literal.Text(text)) => StartsWith(column, text)
        case (_, value) => Compare(column, pick(r, operators), value)
      }
    def child: Predicate = predicate(r, make, depth - 1)
    if (depth == 0) leaf
    else
      r.nextInt(5) match {
        case 0 => Not(child)
        case 1 => And(child, child)
        case 2 => Or(child, child)
        case 3 => leaf
        case _ => if (r.nextInt(20) == 0) False else leaf
      }
  }

  private def statistics(r: Random, column: Vector[Literal]): Option[ColumnStatistics] = {
    val values = column.filter(_ != Literal.Null)
    val bounded = values.filter {
      case Literal.Floating(value) => !value.isNaN
      case _ => true
    }
    val isFloat = values.exists(_.isInstanceOf[Literal.Floating])
    val order: Ordering[Literal] = (x, y) => compareValues(x, y)
    def sometimes[A](value: A): Option[A] = Option.when(r.nextInt(8) != 0)(value)
    sometimes(
      ColumnStatistics(
        min = bounded.minOption(order).flatMap(sometimes(_)),
        max = bounded.maxOption(order).flatMap(sometimes(_)),
        valueCount = sometimes(values.size.toLong),
        nullCount = sometimes((column.size - values.size).toLong),
        containsNan = if (isFloat) sometimes(bounded.size < values.size) else None,
        sizeBytes = None,
      )
    )
  }

  /** How often the answer is yes. */
  private def count(
      judge: (Random, Vector[LakeType.Primitive], Vector[Row], Predicate) => Boolean
  ): Int = {
    val r = new Random(seed)
    val results = (1 to rounds).map { _ =>
      val (typeA, makeA) = pick(r, kinds)
      val (typeB, makeB) = pick(r, kinds)
      def maybeNull(value: Literal) = if (r.nextInt(5) == 0) Literal.Null else value
      val rows =
        Vector.fill(r.between(1, 5))(Map(a -> maybeNull(makeA(r)), b -> maybeNull(makeB(r))))
      val p = predicate(r, Map(a -> (() => makeA(r)), b -> (() => makeB(r))), depth = 3)
      judge(r, Vector(typeA, typeB), rows, p)
    }
    results.count(identity)
  }

  /** How many files are left out. */
  private def run(
      judge: (Random, Vector[LakeType.Primitive], Vector[Row], Predicate) => Boolean
  ): Int = count { (r, types, rows, p) =>
    val isKept = judge(r, types, rows, p)
    val matches = rows.filter(row => answer(p, row).contains(true))
    assert(isKept || matches.isEmpty, s"$p drops $matches")
    !isKept
  }

  /** How often rows were said to match all. */
  private def runWhole(
      judge: (Random, Map[ColumnId, LakeType.Primitive], Vector[Row], Predicate) => Vector[Row]
  ): Int = count { (r, types, rows, p) =>
    val taken = judge(r, Map(a -> types(0), b -> types(1)), rows, p)
    assert(taken.forall(row => answer(p, row).contains(true)), s"$p takes $taken")
    taken.nonEmpty
  }

  test("statistics never leave out a matching row, and leave out many files") {
    val dropped = run { (r, types, rows, p) =>
      val stats = Map(a -> statistics(r, rows.map(_(a))), b -> statistics(r, rows.map(_(b))))
      StatsPruning.mayMatch(p, stats, Map(a -> types(0), b -> types(1)).get)
    }

    assert(dropped > rounds / 10)
  }

  test("a file is whole by its statistics only when every row matches, and many are") {
    val whole = runWhole { (r, types, rows, p) =>
      val stats = Map(a -> statistics(r, rows.map(_(a))), b -> statistics(r, rows.map(_(b))))
      if (StrictMetricsEvaluator.allRowsMatch(p, stats, types.get)) rows else Vector.empty
    }

    assert(whole > rounds / 20)
  }

  test("a row is taken only when it matches, and many are") {
    val whole = runWhole { (_, _, rows, p) =>
      rows.filter(row => StrictMetricsEvaluator.rowMatches(p, row.get))
    }

    assert(whole > rounds / 20)
  }

  test("buckets never leave out a matching row, and leave out many files") {
    val spec = PartitionSpec(PartitionId(1), Vector.empty)
    val dropped = run { (r, types, rows, p) =>
      val keys = Vector(a -> types(0), b -> types(1)).filter(_ => r.nextInt(4) > 0)
      val file = rows.groupBy(row => keys.map { case (c, t) => text(bucket, row(c), t) })
      val matching = spec.copy(keys = keys.zipWithIndex.map { case ((column, _), i) =>
        PartitionKey(i, column, bucket)
      })
      file
        .map { case (values, inFile) =>
          val isKept = BucketPruning.mayMatch(
            p,
            matching,
            FilePartition(PartitionId(1), values.zipWithIndex.map(_.swap).toMap),
            Map(a -> types(0), b -> types(1)).get,
          )
          assert(
            isKept || !inFile.exists(row => answer(p, row).contains(true)),
            s"$p $values $inFile",
          )
          isKept
        }
        .exists(identity)
    }

    assert(dropped > rounds / 20)
  }

  test("a proven value is that of every row, and many are proven") {
    val r = new Random(seed)
    val proven = (1 to rounds).map { _ =>
      val (lakeType, make) = pick(r, kinds)
      val pool = Vector.fill(2)(make(r))
      val rows = Vector.fill(r.between(1, 4)) {
        if (r.nextInt(6) == 0) Literal.Null else pick(r, pool)
      }
      val transform = pick(r, transforms(lakeType))
      val stored = Option.when(r.nextBoolean())(text(transform, pick(r, rows), lakeType))
      val found = statistics(r, rows).flatMap(ProvenValue.of(transform, lakeType, _, stored))
      found.foreach { value =>
        if (!transform.isInstanceOf[Transform.Bucket])
          assert(rows.forall(text(transform, _, lakeType) == value), s"$transform $value $rows")
      }
      found.nonEmpty
    }
    assert(proven.count(identity) > rounds / 20)
  }

  private val bucket = Transform.Bucket(3)

  private def transforms(lakeType: LakeType.Primitive): Vector[Transform] =
    (Transform.units.map(Transform.Epoch(_)) ++ Vector[Transform](
      Transform.Identity,
      Transform.Bucket(3),
      Transform.Year,
      Transform.Month,
      Transform.Day,
      Transform.Hour,
    )).filter(TransformValue.accepts(_, lakeType))

  private def text(transform: Transform, value: Literal, lakeType: LakeType.Primitive) =
    TransformValue.text(transform, value, lakeType).fold(fail(_), identity)

  test("bounds read back from their text keep every matching row") {
    val column = Vector(Literal.Floating(0.1f.toDouble), Literal.Floating(16777216.0))
    val printed = column.flatMap(ValueText.print(_, LakeType.Float32))
    val row = StoredStatistics(
      printed.headOption,
      printed.lastOption,
      Some(2),
      Some(0),
      containsNan = Some(false),
      sizeBytes = None,
    )

    for (lakeType <- Vector(LakeType.Float32, LakeType.Float64); value <- column) {
      val stats = StatisticsText.read(row, lakeType)
      val same = Compare(a, Comparison.Equal, value)
      assert(StatsPruning.mayMatch(same, _ => Some(stats), _ => Some(lakeType)))
    }
  }
}
