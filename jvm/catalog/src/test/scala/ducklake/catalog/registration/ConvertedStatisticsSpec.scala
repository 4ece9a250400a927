package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

final class ConvertedStatisticsSpec extends AnyFunSuite {

  private def bounds(
      min: Literal,
      max: Literal,
      file: LakeType.Primitive,
      column: LakeType.Primitive,
  ): (Option[Literal], Option[Literal]) = {
    val known = ColumnStatistics(Some(min), Some(max), Some(2L), Some(0L), None, Some(9L))
    val converted = ConvertedStatistics.of(known, file, column)
    (converted.min, converted.max)
  }

  private def ticks(
      min: Long,
      max: Long,
      file: LakeType.Primitive,
      column: LakeType.Primitive,
  ): (Option[Literal], Option[Literal]) =
    bounds(Literal.Timestamp(min), Literal.Timestamp(max), file, column)

  test("whole numbers and decimals take the form of the column's type") {
    assert(
      bounds(Literal.Integral(1), Literal.Integral(2), LakeType.UInt32, LakeType.UInt64) ==
        ((Some(Literal.BigIntegral(1)), Some(Literal.BigIntegral(2))))
    )
    assert(
      bounds(
        Literal.Dec(new java.math.BigDecimal("1.5")),
        Literal.Dec(new java.math.BigDecimal("2.5")),
        LakeType.Decimal(2, 1),
        LakeType.Decimal(9, 2),
      ) ==
        (
          (
            Some(Literal.Dec(new java.math.BigDecimal("1.50"))),
            Some(Literal.Dec(new java.math.BigDecimal("2.50"))),
          )
        )
    )
  }

  test("timestamps lose digits as they do when they are read") {
    assert(
      ticks(-1500000, 1499999, LakeType.Timestamp, LakeType.TimestampS) ==
        ((Some(Literal.Timestamp(-2)), Some(Literal.Timestamp(1))))
    )
    assert(
      ticks(-1999, 1999, LakeType.TimestampNs, LakeType.Timestamp) ==
        ((Some(Literal.Timestamp(-1)), Some(Literal.Timestamp(1))))
    )
    assert(
      ticks(-1500999, 1499999, LakeType.TimestampNs, LakeType.TimestampMs) ==
        ((Some(Literal.Timestamp(-2)), Some(Literal.Timestamp(1))))
    )
    assert(
      ticks(-1, 1, LakeType.TimestampMs, LakeType.Timestamp) ==
        ((Some(Literal.Timestamp(-1000)), Some(Literal.Timestamp(1000))))
    )
  }

  test("instants that lose digits have no bounds, because engines round them in two ways") {
    assert(ticks(1, 2, LakeType.TimestampTzNs, LakeType.TimestampTz) == ((None, None)))
  }

  test("infinite timestamps stay infinite, and those beyond the type are unknown") {
    assert(
      ticks(-Long.MaxValue, Long.MaxValue, LakeType.Timestamp, LakeType.TimestampNs) ==
        ((Some(Literal.Timestamp(-Long.MaxValue)), Some(Literal.Timestamp(Long.MaxValue))))
    )
    assert(
      ticks(0, Long.MaxValue - 1, LakeType.Timestamp, LakeType.TimestampNs) ==
        ((Some(Literal.Timestamp(0)), None))
    )
  }

  test("times with an offset have no bounds as times without") {
    val clock = Literal.TimeTz(1L, 3600)

    assert(bounds(clock, clock, LakeType.TimeTz, LakeType.Time) == ((None, None)))
  }
}
