package ducklake.catalog.types.inlined

import ducklake.catalog.types.Literal

import scala.collection.immutable.ArraySeq

/** A value of an inlined table as the catalog database returns it. [[InlineCodec]] decodes it to a
  * value of its column.
  */
sealed trait StoredValue

object StoredValue {
  case object Null extends StoredValue
  final case class Text(value: String) extends StoredValue
  final case class Bytes(value: ArraySeq[Byte]) extends StoredValue

  /** A whole number. For a boolean column it is 0 or 1. */
  final case class Whole(value: Long) extends StoredValue

  /** A binary float. A single precision float is widened. */
  final case class Real(value: Double) extends StoredValue
  final case class Decimal(value: java.math.BigDecimal) extends StoredValue

  /** A value that the database returns in the column's own type, including nested values. */
  final case class Native(value: Literal) extends StoredValue
}
