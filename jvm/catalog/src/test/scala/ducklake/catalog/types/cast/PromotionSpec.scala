package ducklake.catalog.types.cast

import ducklake.catalog.error.LakeError
import ducklake.catalog.testkit.Columns.leaf
import ducklake.catalog.testkit.Columns.list
import ducklake.catalog.testkit.Columns.map
import ducklake.catalog.testkit.Columns.struct
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.immutable.ArraySeq

/** Results are those of the casts in DuckDB 1.5.5. */
class PromotionSpec extends AnyFunSuite {
  private def cast(literal: Literal, from: String, to: String): Either[LakeError, Literal] =
    Promotion.cast(literal, leaf(1, "c", from), leaf(1, "c", to))

  private def whole(value: Long): Literal = Literal.Integral(value)

  private def dec(text: String): Literal = Literal.Dec(new java.math.BigDecimal(text))

  private def text(value: String): Literal = Literal.Text(value)

  test("each promotion that DuckDB makes") {
    val day = 1704067200L
    val promotions = Vector(
      ("int8", "int64", whole(-5), whole(-5)),
      ("uint32", "int64", whole(4294967295L), whole(4294967295L)),
      ("int64", "int128", whole(Long.MinValue), Literal.BigIntegral(BigInt(Long.MinValue))),
      ("uint8", "uint64", whole(255), Literal.BigIntegral(BigInt(255))),
      ("boolean", "int32", Literal.Bool(value = true), whole(1)),
      ("int32", "float64", whole(5), Literal.Floating(5.0)),
      ("int32", "float32", whole(16777217), Literal.Floating(16777216.0)),
      ("float32", "float64", Literal.Floating(0.1f.toDouble), Literal.Floating(0.1f.toDouble)),
      ("decimal(5,2)", "float64", dec("1.25"), Literal.Floating(1.25)),
      ("decimal(5,2)", "decimal(10,4)", dec("1.25"), dec("1.2500")),
      ("int32", "decimal(12,2)", whole(7), dec("7.00")),
      ("date", "timestamp", Literal.Date(19723), Literal.Timestamp(day * 1000000)),
      ("date", "timestamptz", Literal.Date(19723), Literal.Timestamp(day * 1000000)),
      ("date", "timestamp", Literal.Date(Int.MaxValue), Literal.Timestamp(Long.MaxValue)),
      ("date", "timestamptz", Literal.Date(-Int.MaxValue), Literal.Timestamp(-Long.MaxValue)),
      ("timestamp_s", "timestamp", Literal.Timestamp(day), Literal.Timestamp(day * 1000000)),
      ("timestamp_ms", "timestamp", Literal.Timestamp(-1), Literal.Timestamp(-1000)),
      ("timestamp", "timestamp_ns", Literal.Timestamp(-1), Literal.Timestamp(-1000)),
      ("timestamp", "timestamptz", Literal.Timestamp(5), Literal.Timestamp(5)),
      (
        "timestamp_s",
        "timestamp",
        Literal.Timestamp(Long.MaxValue),
        Literal.Timestamp(Long.MaxValue),
      ),
      ("varchar", "json", text("{}"), text("{}")),
      ("int32", "int32", whole(5), whole(5)),
      ("int32", "varchar", Literal.Null, Literal.Null),
    )

    for ((from, to, before, expected) <- promotions)
      assert(cast(before, from, to) == Right(expected), s"$from $to $before")
  }

  test("an exact value is one that the other type has, be it wider or narrower") {
    def exact(literal: Literal, from: String, to: String): Option[Literal] =
      Promotion.exact(literal, leaf(1, "c", from), leaf(1, "c", to))

    val kept = Vector(
      ("int32", "int64", whole(-5), whole(-5)),
      ("int64", "int32", whole(5), whole(5)),
      ("int32", "float32", whole(16777216), Literal.Floating(16777216.0)),
      ("int32", "float64", whole(5), Literal.Floating(5.0)),
      ("float64", "float32", Literal.Floating(0.5), Literal.Floating(0.5)),
      ("float64", "float32", Literal.Floating(Double.NaN), Literal.Floating(Double.NaN)),
      ("decimal(10,4)", "decimal(5,2)", dec("1.2500"), dec("1.25")),
      ("date", "timestamp", Literal.Date(1), Literal.Timestamp(86400000000L)),
      ("boolean", "int32", Literal.Bool(value = true), whole(1)),
      ("int64", "int32", Literal.Null, Literal.Null),
    )
    kept.foreach { case (from, to, before, expected) =>
      assert(exact(before, from, to).exists(same(_, expected)), s"$from $to $before")
    }
    val lost = Vector(
      ("int64", "int32", whole(1L << 40)),
      ("int32", "float32", whole(16777217)),
      ("float64", "float32", Literal.Floating(0.1)),
      ("float64", "float32", Literal.Floating(1e300)),
      ("float64", "int32", Literal.Floating(3.5)),
      ("decimal(10,4)", "decimal(5,2)", dec("1.2501")),
      ("timestamp", "date", Literal.Timestamp(1)),
    )
    lost.foreach { case (from, to, before) =>
      assert(exact(before, from, to).isEmpty, s"$from $to $before")
    }
  }

  /** NaN is not equal to itself. */
  private def same(left: Literal, right: Literal): Boolean =
    left == right || LiteralOrder.compare(left, right).contains(0)

  test("what does not fit, and what is no promotion, is an error that names the column") {
    val refused = Vector(
      ("int64", "int8", whole(128)),
      ("int32", "decimal(5,0)", whole(100000)),
      ("int32", "uint64", whole(-1)),
      ("int32", "varchar", whole(1)),
      ("time", "timetz", Literal.Time(0)),
      ("date", "timestamp_ns", Literal.Date(1000000)),
    )

    for ((from, to, before) <- refused)
      cast(before, from, to) match {
        case Left(error: LakeError.InvalidValue) =>
          assert(error.column == "c" && error.typeText == to)
        case other => fail(s"$from $to gave $other")
      }
  }

  test("fields are matched by id: renamed, promoted, added, dropped and moved") {
    val from =
      struct(1, "s")(leaf(2, "a", "int32"), leaf(3, "gone", "varchar"), leaf(4, "b", "date"))
    val to = struct(1, "s")(
      leaf(4, "when", "timestamp"),
      leaf(5, "added", "int32").copy(initialDefault = Some("7")),
      leaf(6, "gone", "varchar"),
      leaf(2, "a", "int64"),
    )
    val before = Literal.StructValue(Vector(whole(1), text("x"), Literal.Date(1)))

    assert(
      Promotion.cast(before, from, to) ==
        Right(
          Literal.StructValue(
            Vector(Literal.Timestamp(86400000000L), whole(7), Literal.Null, whole(1))
          )
        )
    )
    assert(Promotion.cast(Literal.Null, from, to) == Right(Literal.Null))
  }

  test("a column that is as it was has no promotion, whatever its names") {
    val from = struct(1, "s")(leaf(2, "a", "int32"), list(3, "l")(leaf(4, "element", "date")))
    val renamed = struct(1, "t")(leaf(2, "b", "int32"), list(3, "l")(leaf(4, "element", "date")))
    val widened = struct(1, "s")(leaf(2, "a", "int64"), list(3, "l")(leaf(4, "element", "date")))
    val replaced = struct(1, "s")(leaf(5, "a", "int32"), list(3, "l")(leaf(4, "element", "date")))
    val shortened = struct(1, "s")(leaf(2, "a", "int32"))

    assert(Promotion.isNone(from, renamed))
    assert(!Promotion.isNone(from, widened))
    assert(!Promotion.isNone(from, replaced))
    assert(!Promotion.isNone(from, shortened))
  }

  test("promotion reaches into lists and maps") {
    val from = list(1, "l")(
      map(2, "element")(leaf(3, "key", "int32"), struct(4, "value")(leaf(5, "x", "int8")))
    )
    val to = list(1, "l")(
      map(2, "element")(
        leaf(3, "key", "int64"),
        struct(4, "value")(leaf(5, "y", "float64"), leaf(6, "z", "varchar")),
      )
    )
    def lists(value: Literal) =
      Literal.ListValue(Vector(Literal.MapValue(Vector(whole(1) -> value)), Literal.Null))

    assert(
      Promotion.cast(lists(Literal.StructValue(Vector(whole(2)))), from, to) ==
        Right(lists(Literal.StructValue(Vector(Literal.Floating(2), Literal.Null))))
    )
  }

  test("a value becomes a variant of its type") {
    def variant(value: Int*): Literal =
      Literal.Variant(ArraySeq[Byte](1, 0, 0), ArraySeq.from(value.map(_.toByte)))

    assert(cast(whole(5), "int32", "variant") == Right(variant(0x14, 5, 0, 0, 0)))
    assert(cast(whole(-2), "int8", "variant") == Right(variant(0x0c, 0xfe)))
    assert(cast(text("ab"), "varchar", "variant") == Right(variant(0x09, 97, 98)))
    assert(cast(Literal.Bool(value = true), "boolean", "variant") == Right(variant(0x04)))
    assert(
      cast(dec("-1.50"), "decimal(5,2)", "variant") == Right(
        variant(0x20, 2, 0x6a, 0xff, 0xff, 0xff)
      )
    )
    assert(
      cast(Literal.Timestamp(-1), "timestamp_ms", "variant") ==
        Right(variant(0x34, 0x18, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
    )
    assert(
      cast(Literal.Floating(1), "float64", "variant") ==
        Right(variant(0x1c, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f))
    )
    assert(cast(Literal.Interval(1, 0, 0), "interval", "variant").isLeft)
  }
}
