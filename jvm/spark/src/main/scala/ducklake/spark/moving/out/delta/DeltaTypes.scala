package ducklake.spark.moving.out.delta

import ducklake.catalog.types.LakeType

/** Types of Delta, by the names that its schemas have.
  *
  * Source: Delta's protocol, "Primitive Types" and "Type Widening".
  */
private[delta] object DeltaTypes {
  import LakeType.*

  val TimestampNtz = "timestamp_ntz"

  /** None for a type that Delta does not have. */
  def of(lakeType: Primitive): Option[String] = lakeType match {
    case Bool => Some("boolean")
    case Int8 => Some("byte")
    case Int16 | UInt8 => Some("short")
    case Int32 | UInt16 => Some("integer")
    case Int64 | UInt32 => Some("long")
    case UInt64 => Some("decimal(20,0)")
    case Float32 => Some("float")
    case Float64 => Some("double")
    case Decimal(precision, scale) => Some(s"decimal($precision,$scale)")
    case Date => Some("date")
    case Timestamp | TimestampS | TimestampMs => Some(TimestampNtz)
    case TimestampTz => Some("timestamp")
    case Varchar | Json => Some("string")
    case Blob => Some("binary")
    case Int128 | UInt128 | Time | TimeNs | TimeTz | TimestampNs | TimestampTzNs | Interval | Uuid |
        Variant | Geometry(_) | NullType | Unknown(_) =>
      None
  }

  /** Whether readers of type widening take values of one type for values of the other. */
  def widens(from: String, to: String): Boolean = (from, to) match {
    case ("byte", "short" | "integer" | "long" | "double") => true
    case ("short", "integer" | "long" | "double") => true
    case ("integer", "long" | "double") => true
    case ("float", "double") => true
    case ("date", TimestampNtz) => true
    case ("byte" | "short" | "integer", decimal(precision, scale)) => holds(10, precision, scale)
    case ("long", decimal(precision, scale)) => holds(20, precision, scale)
    case (decimal(before, few), decimal(precision, scale)) =>
      val (digits, places) = (precision.toInt - before.toInt, scale.toInt - few.toInt)
      places >= 0 && digits >= places
    case _ => false
  }

  private def holds(digits: Int, precision: String, scale: String): Boolean =
    precision.toInt - scale.toInt >= digits

  private val decimal = """decimal\((\d+),(\d+)\)""".r
}
