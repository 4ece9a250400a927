package ducklake.catalog.types

/** How far the floats of a column may lie from the texts that the catalog keeps of them.
  *
  * A text may have been written before the column became FLOAT or DOUBLE. Then it is that of a decimal,
  * of a large integer, or of a single precision float, and a row's value is what a cast makes of it.
  * Casts do not always give the float that is nearest to the text: that of a decimal of many digits is
  * off by up to three steps, the single precision float 0.1 is greater than the double 0.1.
  *
  * Source: DuckDB 1.5.5, observed (format 11.2); ours, decision 0013.
  */
object FloatMargin {

  /** No row's value is less, if none is less than the text by its digits. Literals that are no floats
    * stay as they are.
    */
  def below(bound: Literal, lakeType: LakeType): Literal = moved(bound, lakeType, -1)

  /** No row's value is greater, if none is greater than the text by its digits. */
  def above(bound: Literal, lakeType: LakeType): Literal = moved(bound, lakeType, 1)

  /** Eight steps and more, at every size of the number. */
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

  /** Zero is zero in every type. */
  private def isMovable(value: Double): Boolean =
    value != 0 && !value.isNaN && !value.isInfinite

  private def beyond(value: Double, share: Double, least: Double, sign: Int): Double =
    value + sign * (Math.abs(value) * share + least)
}
