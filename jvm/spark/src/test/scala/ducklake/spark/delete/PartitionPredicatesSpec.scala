package ducklake.spark.delete

import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.testkit.TaskRows.column
import org.scalatest.funsuite.AnyFunSuite

final class PartitionPredicatesSpec extends AnyFunSuite {

  private val text = WriteKey(0, column(1, "s", LakeType.Varchar), Transform.Identity, "s")
  private val float = WriteKey(0, column(1, "f", LakeType.Float64), Transform.Identity, "f")
  private val bucket = WriteKey(0, column(1, "s", LakeType.Varchar), Transform.Bucket(4), "bucket")
  private val date = column(2, "d", LakeType.Date)
  private val year = WriteKey(1, date, Transform.Year, "year")
  private val month = WriteKey(1, date, Transform.Month, "month")

  private def of(keys: WriteKey*)(values: Vector[Option[String]]*): Option[Predicate] =
    PartitionPredicates.of(keys.toVector, values.toSet)

  private def day(operator: Comparison, epochDay: Int): Predicate =
    Predicate.Compare(ColumnId(2), operator, Literal.Date(epochDay))

  private val february2020 =
    Predicate.And(day(Comparison.GreaterOrEqual, 18293), day(Comparison.LessOrEqual, 18321))

  private val isX = Predicate.Compare(ColumnId(1), Comparison.Equal, Literal.Text("x"))

  test("an identity is its value, or NULL") {
    assert(of(text)(Vector(Some("x"))).contains(isX))
    assert(of(text)(Vector(None)).contains(Predicate.IsNull(ColumnId(1))))
  }

  test("parts of a date are a stretch of it") {
    assert(of(year, month)(Vector(Some("2020"), Some("2"))).contains(february2020))
  }

  test("several keys hold together, several partitions one by one") {
    assert(
      of(text, year, month)(Vector(Some("x"), Some("2020"), Some("2")))
        .contains(Predicate.And(isX, february2020))
    )
    assert(
      of(text)(Vector(Some("x")), Vector(None)).toSet
        .intersect(
          Set[Predicate](
            Predicate.Or(isX, Predicate.IsNull(ColumnId(1))),
            Predicate.Or(Predicate.IsNull(ColumnId(1)), isX),
          )
        )
        .nonEmpty
    )
  }

  test("where one partition says nothing, nothing is said") {
    assert(of(year)(Vector(Some("2020")), Vector(None)).isEmpty)
    assert(of(bucket)(Vector(Some("1"))).isEmpty)
    assert(of(float)(Vector(Some("0.1"))).isEmpty)
  }

  private def ids(from: Long, to: Long): Predicate =
    Predicate.And(
      Predicate.Compare(ColumnId(1), Comparison.GreaterOrEqual, Literal.Integral(from)),
      Predicate.Compare(ColumnId(1), Comparison.LessOrEqual, Literal.Integral(to)),
    )

  private def parts(predicate: Predicate): Vector[Predicate] = predicate match {
    case Predicate.Or(left, right) => parts(left) ++ parts(right)
    case other => Vector(other)
  }

  test("ordinals are a range of values") {
    val day = WriteKey(0, date, Transform.Epoch(Transform.Day), "epoch_day")
    def range(first: Int, last: Int): Predicate = Predicate.And(
      Predicate.Compare(date.id, Comparison.GreaterOrEqual, Literal.Date(first)),
      Predicate.Compare(date.id, Comparison.LessOrEqual, Literal.Date(last)),
    )

    assert(
      of(day)((10000 until 11600).map(n => Vector(Option(n.toString)))*).map(parts).exists {
        found =>
          found.size == 8 && found.toSet == found.indices.map { n =>
            range(10000 + 200 * n, 10199 + 200 * n)
          }.toSet
      }
    )
    assert(of(day)(Vector(Some("1")), Vector(None)).isEmpty)
    assert(of(day)(Vector(Some("x"))).isEmpty)
  }

  test("many partitions are a few stretches that contain them") {
    val id = WriteKey(0, column(1, "id", LakeType.Int64), Transform.Identity, "id")
    val many = of(id)((1000 to 2599).map(n => Vector(Option(n.toString)))*).map(parts)

    assert(many.contains((0L until 8L).toVector.map(n => ids(1000 + 200 * n, 1199 + 200 * n))))
  }

  test("a stretch with NULL says so, and one with a value that is not known says nothing") {
    val years = (1 to 20).map(n => Vector(Option((2000 + n).toString)))

    assert(of(year)(years*).map(parts(_).size).contains(7))
    assert(of(year)((years :+ Vector(None))*).isEmpty)
    val texts = (1 to 20).map(n => Vector(Option(s"$n"))) :+ Vector(None)
    assert(of(text)(texts*).exists(parts(_).contains(Predicate.IsNull(ColumnId(1)))))
  }
}
