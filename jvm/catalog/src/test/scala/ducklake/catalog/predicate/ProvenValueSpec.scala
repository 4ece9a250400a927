package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.Transform.*
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.LakeType.*
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

class ProvenValueSpec extends AnyFunSuite {

  private val none = ColumnStatistics(None, None, Some(0), Some(2), None, None)

  private def bounds(lakeType: LakeType.Primitive, min: String, max: String): ColumnStatistics = {
    def literal(text: String) = ValueText.parseCast(text, lakeType)
    ColumnStatistics(literal(min), literal(max), Some(2), Some(0), Some(false), None)
  }

  private def proven(
      transform: Transform,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
      stored: Option[Option[String]] = None,
  ): Option[Option[String]] = ProvenValue.of(transform, lakeType, known, stored)

  private def isWrong(
      transform: Transform,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
      stored: String,
  ): Boolean = ProvenValue.isContradicted(transform, lakeType, known, Some(stored))

  test("the bounds of a file prove its year, whatever the catalog says") {
    val of2024 = bounds(Timestamp, "2024-01-01 00:00:00", "2024-12-31 23:59:59")

    assert(proven(Year, Timestamp, of2024, Some(Some("54"))).contains(Some("2024")))
    assert(proven(Epoch(Year), Timestamp, of2024).contains(Some("54")))
    assert(isWrong(Year, Timestamp, of2024, "54") && !isWrong(Year, Timestamp, of2024, "2024"))
  }

  test("ordinals that look like parts of a date are no parts") {
    val june = bounds(Timestamp, "1970-06-01 00:00:00", "1970-06-30 00:00:00")
    val morning = bounds(Timestamp, "1970-01-01 12:00:00", "1970-01-01 12:30:00")

    assert(proven(Month, Timestamp, june, Some(Some("5"))).contains(Some("6")))
    assert(isWrong(Month, Timestamp, june, "5") && !isWrong(Month, Timestamp, june, "6"))
    assert(isWrong(Day, Timestamp, june, "151"))
    assert(proven(Hour, Timestamp, morning).contains(Some("12")))
    assert(isWrong(Hour, Timestamp, morning, "474000"))
  }

  test("a month comes again, so bounds in two years prove none") {
    val months = bounds(Date, "2023-03-01", "2024-03-31")

    assert(proven(Month, Date, months, Some(Some("3"))).isEmpty)
    assert(!isWrong(Month, Date, months, "3") && isWrong(Month, Date, months, "4"))
    assert(ProvenValue.credible(Month, Date, Some(months), Some("3")).contains(Some("3")))
    assert(ProvenValue.credible(Month, Date, Some(months), Some("4")).isEmpty)
    assert(ProvenValue.credible(Month, Date, None, Some("4")).contains(Some("4")))
  }

  test("parts of an instant are those of some time zone") {
    val newYear = bounds(TimestampTz, "2024-01-01 03:00:00+00", "2024-01-01 04:00:00+00")

    Vector("2023", "2024").foreach(year => assert(!isWrong(Year, TimestampTz, newYear, year)))
    Vector("2025", "54").foreach(year => assert(isWrong(Year, TimestampTz, newYear, year)))
  }

  test("one value between equal bounds is an identity value, in its canonical text") {
    val cases = Vector(
      (Date, "2024-01-01", "2024-1-1"),
      (Bool, "true", "TRUE"),
      (Int32, "1000", "1e3"),
      (Decimal(9, 2), "1.50", "1.5"),
      (Uuid, "aaaaaaaa-0000-0000-0000-000000000001", "AAAAAAAA-0000-0000-0000-000000000001"),
      (Varchar, "x", "X"),
    )
    cases.foreach { case (lakeType, value, spelling) =>
      val one = bounds(lakeType, value, value)
      assert(proven(Identity, lakeType, one, Some(Some(spelling))).contains(Some(value)))
    }
    assert(isWrong(Identity, Varchar, bounds(Varchar, "x", "x"), "X"))
    assert(isWrong(Identity, Int32, bounds(Int32, "1", "5"), "x"))
    assert(!isWrong(Identity, Int32, bounds(Int32, "1", "5"), "3"))
  }

  test("nothing is proven by other bounds, by none, or beside NULL") {
    val one = bounds(Int32, "1", "1")

    assert(proven(Identity, Int32, bounds(Int32, "1", "2"), Some(Some("1"))).isEmpty)
    assert(proven(Identity, Int32, one.copy(nullCount = Some(1))).isEmpty)
    assert(proven(Identity, Int32, one.copy(nullCount = None)).isEmpty)
    assert(proven(Identity, Int32, one.copy(min = None)).isEmpty)
    assert(proven(Year, Timestamp, bounds(Timestamp, "2023-12-31", "2024-01-01")).isEmpty)
  }

  test("bounds that some writers round prove nothing") {
    val seconds = bounds(TimestampS, "2024-01-01 00:00:00", "2024-01-01 00:00:00")

    assert(proven(Year, TimestampS, seconds, Some(Some("2024"))).isEmpty)
  }

  test("NULL is proven by the counts, and a float only without NaN and zero") {
    assert(proven(Identity, Blob, none).contains(None) && proven(Year, Date, none).contains(None))
    assert(ProvenValue.isContradicted(Identity, Int32, none, Some("1")))
    assert(ProvenValue.isContradicted(Identity, Int32, bounds(Int32, "1", "2"), None))
    val half = bounds(Float64, "1.5", "1.5")
    assert(proven(Identity, Float64, half).contains(Some("1.5")))
    assert(proven(Identity, Float64, half.copy(containsNan = None)).isEmpty)
    assert(proven(Identity, Float64, bounds(Float64, "0.0", "0.0")).isEmpty)
  }

  test("a bucket must be one, and agree with both bounds") {
    def bucket(known: ColumnStatistics, stored: String) =
      proven(Bucket(16), Int64, known, Some(Some(stored)))
    val of3 = bounds(Int64, "34", "34")

    assert(bucket(of3, "3").contains(Some("3")))
    assert(bucket(of3, "9").contains(Some("9")), "the bucket of 34 as an unsigned number")
    assert(bucket(of3, "4").isEmpty && isWrong(Bucket(16), Int64, of3, "4"))
    assert(bucket(bounds(Int64, "34", "35"), "3").isEmpty)
    Vector("16", "-1", "x").foreach(text => assert(isWrong(Bucket(16), Int64, of3, text)))
    assert(proven(Bucket(16), Int64, none, Some(None)).contains(None))
    assert(proven(Bucket(16), Int64, of3, None).isEmpty)
  }

  test("a text that is cut off does not contradict a bucket") {
    val texts = bounds(Varchar, "iceberg", "iceberh")

    assert(proven(Bucket(16), Varchar, texts, Some(Some("3"))).isEmpty)
    assert(!isWrong(Bucket(16), Varchar, texts, "3"))
  }
}
