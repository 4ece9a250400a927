package ducklake.catalog.types

/** Converts values to values that compare by their bits: NaN equals NaN, and zero differs from
  * negative zero.
  */
private[types] object LiteralBits {

  def holdsNegativeZero(literal: Literal): Boolean =
    literal match {
      case Literal.Floating(value) => value == 0 && 1 / value < 0
      case Literal.ListValue(items) => items.exists(holdsNegativeZero)
      case Literal.StructValue(fields) => fields.exists(holdsNegativeZero)
      case Literal.MapValue(entries) =>
        entries.exists { case (key, value) => holdsNegativeZero(key) || holdsNegativeZero(value) }
      case Literal.Null | Literal.Bool(_) | Literal.Integral(_) | Literal.BigIntegral(_) |
          Literal.Dec(_) | Literal.Text(_) | Literal.Bytes(_) | Literal.Uuid(_) | Literal.Date(_) |
          Literal.Time(_) | Literal.TimeTz(_, _) | Literal.Timestamp(_) |
          Literal.Interval(_, _, _) | Literal.Variant(_, _) =>
        false
    }

  /** The value with floats replaced by their bits, only for comparisons. */
  def of(literal: Literal): Literal =
    literal match {
      case Literal.Floating(value) => Literal.Integral(java.lang.Double.doubleToLongBits(value))
      case Literal.ListValue(items) => Literal.ListValue(items.map(of))
      case Literal.StructValue(fields) => Literal.StructValue(fields.map(of))
      case Literal.MapValue(entries) =>
        Literal.MapValue(entries.map { case (key, value) => (of(key), of(value)) })
      case Literal.Null | Literal.Bool(_) | Literal.Integral(_) | Literal.BigIntegral(_) |
          Literal.Dec(_) | Literal.Text(_) | Literal.Bytes(_) | Literal.Uuid(_) | Literal.Date(_) |
          Literal.Time(_) | Literal.TimeTz(_, _) | Literal.Timestamp(_) |
          Literal.Interval(_, _, _) | Literal.Variant(_, _) =>
        literal
    }
}
