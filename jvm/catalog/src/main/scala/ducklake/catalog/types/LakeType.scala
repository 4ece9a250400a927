package ducklake.catalog.types

/** The type of a column. The children of nested types are the column's children.
  *
  * Source: spec 1.0, data types; DuckDB 1.5.5 for the spelling.
  */
sealed trait LakeType

object LakeType {

  /** A type without children. */
  sealed trait Primitive extends LakeType

  /** A type that is described by the column's children. */
  sealed trait Nested extends LakeType

  case object Bool extends Primitive
  case object Int8 extends Primitive
  case object Int16 extends Primitive
  case object Int32 extends Primitive
  case object Int64 extends Primitive
  case object Int128 extends Primitive
  case object UInt8 extends Primitive
  case object UInt16 extends Primitive
  case object UInt32 extends Primitive
  case object UInt64 extends Primitive
  case object UInt128 extends Primitive
  case object Float32 extends Primitive
  case object Float64 extends Primitive
  final case class Decimal(precision: Int, scale: Int) extends Primitive
  case object Date extends Primitive
  case object Time extends Primitive
  case object TimeNs extends Primitive
  case object TimeTz extends Primitive
  case object Timestamp extends Primitive
  case object TimestampS extends Primitive
  case object TimestampMs extends Primitive
  case object TimestampNs extends Primitive
  case object TimestampTz extends Primitive
  case object TimestampTzNs extends Primitive
  case object Interval extends Primitive
  case object Varchar extends Primitive
  case object Json extends Primitive
  case object Blob extends Primitive
  case object Uuid extends Primitive
  case object Variant extends Primitive

  /** The geometry types: `geometry`, `point`, `linestring` and so on. `family` is the stored name.
    */
  final case class Geometry(family: String) extends Primitive

  /** One child, `element`. */
  case object ListType extends Nested

  /** One child per field, in order. */
  case object StructType extends Nested

  /** Two children, `key` and `value`. */
  case object MapType extends Nested

  /** The type of NULL alone. Lakes of version 1.1. */
  case object NullType extends Primitive

  /** A type that this version does not know. Only queries that read the column fail. */
  final case class Unknown(text: String) extends Primitive
}
