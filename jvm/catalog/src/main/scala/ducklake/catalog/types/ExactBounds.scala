package ducklake.catalog.types

/** Whether a bound in the statistics is the very minimum or maximum of a file's values, so that an
  * aggregate may answer with it. A text never is: writers cut long ones, each at a length of its own.
  *
  * Source: DuckDB 1.5.5, observed (format 3.2).
  */
object ExactBounds {

  /** The minimum, when it is exact; NaN in the file does not matter, being the greatest. */
  def min(bound: Option[Literal], lakeType: LakeType.Primitive): Option[Literal] =
    bound.filter(isExact(_, lakeType))

  /** The maximum, when it is exact; for floats it is only when the file is known to hold no NaN. */
  def max(
      bound: Option[Literal],
      containsNan: Option[Boolean],
      lakeType: LakeType.Primitive,
  ): Option[Literal] =
    min(bound, lakeType).filter(_ => !isFloat(lakeType) || containsNan.contains(false))

  private def isFloat(lakeType: LakeType.Primitive): Boolean =
    lakeType == LakeType.Float32 || lakeType == LakeType.Float64

  private def isExact(bound: Literal, lakeType: LakeType.Primitive): Boolean =
    bound match {
      case Literal.Floating(value) => isExactFloat(value)
      case Literal.Text(_) => false
      case _ => TypeTraits.of(lakeType).tellsBounds
    }

  /** Zero stands for -0.0 too. Any other number may be the text of a value that was no float of this
    * type when it was written, and its cast may give another one ([[FloatMargin]]); whole numbers far
    * below the digits of a float stay themselves.
    */
  private def isExactFloat(value: Double): Boolean =
    value != 0 && Math.abs(value) < wholeLimit && value == Math.rint(value)

  private val wholeLimit = 1 << 23
}
