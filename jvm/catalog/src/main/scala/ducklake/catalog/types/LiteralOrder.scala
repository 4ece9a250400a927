package ducklake.catalog.types

import scala.collection.immutable.ArraySeq

/** The order of values of one type, the same as in DuckDB's comparisons. NaN is the greatest float
  * and equals itself, -0.0 equals 0.0, texts and bytes are compared by unsigned bytes of UTF-8,
  * infinite dates and timestamps are the smallest and greatest.
  */
object LiteralOrder {

  /** The order of a type's values. None for a type whose values are not compared here (interval,
    * variant, geometry, unknown). Callers must not compare NULL or values of other types.
    */
  def of(lakeType: LakeType.Primitive): Option[Ordering[Literal]] =
    lakeType match {
      case LakeType.Interval | LakeType.Variant | LakeType.Geometry(_) | LakeType.Unknown(_) => None
      case _ => Some(byValue)
    }

  /** Whether the float is NaN. */
  def isNan(literal: Literal): Boolean =
    literal match {
      case Literal.Floating(value) => value.isNaN
      case _ => false
    }

  /** Compares by unsigned bytes of UTF-8, which is the order of code points. */
  def compareText(left: String, right: String): Int = {
    val length = math.min(left.length, right.length)
    val first = (0 until length).indexWhere(i => left.charAt(i) != right.charAt(i))
    if (first < 0) left.length.compare(right.length)
    else rank(left.charAt(first)).compare(rank(right.charAt(first)))
  }

  private val byValue: Ordering[Literal] = (left, right) =>
    compare(left, right).getOrElse(
      throw new IllegalArgumentException(s"$left and $right have no common order")
    )

  /** Compares two values of the same type. None when the values cannot be compared. */
  def compare(left: Literal, right: Literal): Option[Int] =
    PartialFunction.condOpt((left, right)) {
      case (Literal.Integral(a), Literal.Integral(b)) => a.compare(b)
      case (Literal.BigIntegral(a), Literal.BigIntegral(b)) => a.compare(b)
      case (Literal.Floating(a), Literal.Floating(b)) => compareFloats(a, b)
      case (Literal.Dec(a), Literal.Dec(b)) => a.compareTo(b)
      case (Literal.Text(a), Literal.Text(b)) => compareText(a, b)
      case (Literal.Bool(a), Literal.Bool(b)) => a.compare(b)
      case (Literal.Date(a), Literal.Date(b)) => a.compare(b)
      case (Literal.Time(a), Literal.Time(b)) => a.compare(b)
      case (Literal.Timestamp(a), Literal.Timestamp(b)) => a.compare(b)
      case (Literal.TimeTz(a, aOffset), Literal.TimeTz(b, bOffset)) =>
        val byInstant = utcMicros(a, aOffset).compare(utcMicros(b, bOffset))
        if (byInstant != 0) byInstant else bOffset.compare(aOffset)
      case (Literal.Uuid(a), Literal.Uuid(b)) =>
        val byHigh =
          java.lang.Long.compareUnsigned(a.getMostSignificantBits, b.getMostSignificantBits)
        if (byHigh != 0) byHigh
        else java.lang.Long.compareUnsigned(a.getLeastSignificantBits, b.getLeastSignificantBits)
      case (Literal.Bytes(a), Literal.Bytes(b)) => compareBytes(a, b)
    }

  private def compareFloats(left: Double, right: Double): Int =
    if (left == right) 0 else java.lang.Double.compare(left, right)

  private def compareBytes(left: ArraySeq[Byte], right: ArraySeq[Byte]): Int =
    java.util.Arrays.compareUnsigned(left.toArray, right.toArray)

  private def utcMicros(micros: Long, offsetSeconds: Int): Long =
    micros - offsetSeconds * Micros.PerSecond

  /** The rank of a UTF-16 unit in the order of code points: surrogates come after all other units.
    */
  private def rank(unit: Char): Int =
    if (Character.isSurrogate(unit)) unit + 0x10000 else unit.toInt
}
