package ducklake.catalog.types

import ducklake.catalog.types.LakeType.*
import org.scalatest.funsuite.AnyFunSuite

class TypeTraitsSpec extends AnyFunSuite {

  /** Letters: has statistics, has bounds, has usable bounds, has true counts, has one text. */
  private val expected = Vector(
    Bool -> "SBbct",
    Int8 -> "SBbct",
    Int16 -> "SBbct",
    Int32 -> "SBbct",
    Int64 -> "SBbct",
    Int128 -> "S..c.",
    UInt8 -> "SBbct",
    UInt16 -> "SBbct",
    UInt32 -> "SBbct",
    UInt64 -> "SBbct",
    UInt128 -> "S..c.",
    Float32 -> "SBbc.",
    Float64 -> "SBbc.",
    Decimal(5, 2) -> "SBbct",
    Date -> "SBbct",
    Time -> "SBbct",
    TimeNs -> "SBbct",
    TimeTz -> "S....",
    Timestamp -> "SBbct",
    TimestampS -> "SBbct",
    TimestampMs -> "SBbct",
    TimestampNs -> "SBbct",
    TimestampTz -> "SBbct",
    TimestampTzNs -> "SBbct",
    Interval -> "S....",
    Varchar -> "SBbct",
    Json -> "SBbct",
    Blob -> "SB.c.",
    Uuid -> "SBbct",
    Variant -> ".....",
    NullType -> ".....",
    Geometry("point") -> "...c.",
    Unknown("x") -> ".....",
    ListType -> ".....",
    StructType -> ".....",
    MapType -> ".....",
  )

  private def letters(traits: TypeTraits): String = {
    import traits.*
    Vector(
      'S' -> hasStatistics,
      'B' -> hasBounds,
      'b' -> hasUsableBounds,
      'c' -> hasTrueCounts,
      't' -> hasOneText,
    ).map { case (letter, holds) => if (holds) letter else '.' }.mkString
  }

  test("what can be relied on is known of every type") {
    expected.foreach { case (lakeType, wanted) =>
      assert(letters(TypeTraits.of(lakeType)) == wanted, lakeType)
    }
  }
}
