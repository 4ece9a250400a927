package ducklake.catalog.types

import scala.collection.immutable.ArraySeq

/** A value as the catalog database gives it out of an inlined table, before it is known as a value of
  * its column: what [[InlineCodec]] takes.
  */
sealed trait StoredValue

object StoredValue {
  case object Null extends StoredValue
  final case class Text(value: String) extends StoredValue
  final case class Bytes(value: ArraySeq[Byte]) extends StoredValue

  /** A whole number of the database, also for a boolean column: 0 or 1. */
  final case class Whole(value: Long) extends StoredValue

  /** A binary float of the database; a single precision one widened. */
  final case class Real(value: Double) extends StoredValue
  final case class Decimal(value: java.math.BigDecimal) extends StoredValue

  /** A value that the database already gives with the column's own type, nested ones included. */
  final case class Native(value: Literal) extends StoredValue
}
