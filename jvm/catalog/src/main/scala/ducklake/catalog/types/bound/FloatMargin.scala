package ducklake.catalog.types.bound

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** Widens bounds by the difference that may lie between the floats of a column and their texts in
  * the catalog.
  *
  * A text may have been written before the column became FLOAT or DOUBLE. Then it is the text of a
  * decimal, a large integer or a single precision float, and the value of a row is the result of a
  * cast. A cast does not always give the float that is nearest to the text. The cast of a decimal
  * with many digits is off by up to three steps, and the single precision float 0.1 is greater than
  * the double 0.1.
  *
  * Source: DuckDB 1.5.5, observed (format 11.2); ours, decision 22.
  */
object FloatMargin {

  /** A lower bound of the rows' values, for a bound that was parsed from text. Literals other than
    * floats are returned unchanged.
    */
  def below(bound: Literal, lakeType: LakeType): Literal = moved(bound, lakeType, -1)

  /** An upper bound of the rows' values, for a bound that was parsed from text. */
  def above(bound: Literal, lakeType: LakeType): Literal = moved(bound, lakeType, 1)

  /** The margin as a share of the number: at least eight steps between neighbouring floats, at
    * every size.
    */
  private val ofSingle = Math.scalb(1.0, -20)
  private val ofDouble = Math.scalb(1.0, -49)

  private def moved(bound: Literal, lakeType: LakeType, sign: Int): Literal =
    (bound, lakeType) match {
      case (Literal.Floating(value), LakeType.Float32) if isMovable(value) =>
        Literal.Floating(beyond(value, ofSingle, Float.MinPositiveValue.toDouble, sign))
      case (Literal.Floating(value), _) if isMovable(value) =>
        val single = value.toFloat.toDouble
        val farther = if (single.isInfinite || sign * (single - value) < 0) value else single
        Literal.Floating(beyond(farther, ofDouble, Double.MinPositiveValue, sign))
      case _ => bound
    }

  /** Whether the bound gets a margin. Zero does not, because it is zero in every type. */
  private def isMovable(value: Double): Boolean =
    value != 0 && !value.isNaN && !value.isInfinite

  private def beyond(value: Double, share: Double, least: Double, sign: Int): Double =
    value + sign * (Math.abs(value) * share + least)
}
