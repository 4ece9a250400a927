package ducklake.catalog.types.bound

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits

/** Decides whether a bound in the statistics is exactly the minimum or maximum of a file's values,
  * so that an aggregate can return it. A bound of texts is never exact by itself, because writers
  * truncate long texts, each at its own length.
  *
  * Source: DuckDB 1.5.5, observed (format 3.2).
  */
object ExactBounds {

  /** The minimum, when it is exact. NaN in the file does not matter, because it is the greatest
    * value.
    */
  def min(bound: Option[Literal], lakeType: LakeType.Primitive): Option[Literal] =
    bound.filter(isExact(_, lakeType))

  /** The maximum, when it is exact. For floats it is exact only when the file is known to have no
    * NaN.
    */
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
      case _ => TypeTraits.of(lakeType).hasUsableBounds
    }

  /** Whether a float bound is exact. Zero is not, because it may stand for -0.0. Other numbers may
    * come from texts that were written before the column had this type, and their cast may give
    * another float ([[FloatMargin]]). Only whole numbers with few digits are the same in every
    * type.
    */
  private def isExactFloat(value: Double): Boolean =
    value != 0 && Math.abs(value) < wholeLimit && value == Math.rint(value)

  private val wholeLimit = 1 << 23
}
