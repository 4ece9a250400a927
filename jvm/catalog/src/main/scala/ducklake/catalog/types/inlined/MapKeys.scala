package ducklake.catalog.types.inlined

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralBits

/** Checks map keys. DuckDB refuses maps with a repeated key or with NULL as a key. */
private[inlined] object MapKeys {

  /** Whether DuckDB accepts all maps in the value. */
  def areAccepted(value: Literal, column: Column): Boolean =
    value match {
      case Literal.ListValue(items) => items.forall(areAccepted(_, column.children(0)))
      case Literal.StructValue(fields) =>
        fields.zip(column.children).forall { case (field, child) => areAccepted(field, child) }
      case Literal.MapValue(entries) =>
        val (keys, values) = entries.unzip
        val isKeyComparable = keys.size < 2 || hasPlainEquality(column.children(0))
        isKeyComparable && !keys.contains(Literal.Null) &&
        keys.map(key => LiteralBits.of(withoutNegativeZero(key))).distinct.size == keys.size &&
        keys.forall(areAccepted(_, column.children(0))) &&
        values.forall(areAccepted(_, column.children(1)))
      case _ => true
    }

  /** Whether equal keys are found by comparing literals. This does not hold for intervals, in which
    * DuckDB counts a month as 30 days, and for times with zones, which have their own rules of
    * equality.
    */
  private def hasPlainEquality(column: Column): Boolean =
    column.dataType != LakeType.Interval && column.dataType != LakeType.TimeTz &&
      column.children.forall(hasPlainEquality)

  /** The key with negative zero replaced by zero, because the two are the same key. */
  private def withoutNegativeZero(key: Literal): Literal =
    key match {
      case Literal.Floating(value) => Literal.Floating(value + 0.0)
      case Literal.ListValue(items) => Literal.ListValue(items.map(withoutNegativeZero))
      case Literal.StructValue(fields) => Literal.StructValue(fields.map(withoutNegativeZero))
      case other => other
    }
}
