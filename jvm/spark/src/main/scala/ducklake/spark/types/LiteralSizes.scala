package ducklake.spark.types

import ducklake.catalog.types.Literal

/** The approximate size of a value in memory, in bytes. */
private[spark] object LiteralSizes {
  private val Small = 32L

  def of(value: Literal): Long = value match {
    case Literal.Text(text) => Small + 2L * text.length
    case Literal.Bytes(bytes) => Small + bytes.length.toLong
    case Literal.Variant(metadata, bytes) => Small + metadata.length.toLong + bytes.length.toLong
    case Literal.ListValue(items) => Small + items.map(of).sum
    case Literal.StructValue(fields) => Small + fields.map(of).sum
    case Literal.MapValue(entries) =>
      Small + entries.map { case (key, one) => of(key) + of(one) }.sum
    case Literal.Null | Literal.Bool(_) | Literal.Integral(_) | Literal.BigIntegral(_) |
        Literal.Floating(_) | Literal.Dec(_) | Literal.Uuid(_) | Literal.Date(_) | Literal.Time(_) |
        Literal.TimeTz(_, _) | Literal.Timestamp(_) | Literal.Interval(_, _, _) =>
      Small
  }
}
