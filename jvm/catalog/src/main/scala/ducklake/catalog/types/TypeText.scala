package ducklake.catalog.types

import java.util.Locale

/** The spelling of types in `ducklake_column.column_type`. They are parsed without regard to case
  * and written in lower case, as DuckDB requires.
  *
  * Source: spec 1.0, data types; DuckDB 1.5.5 for the aliases (format 2.1); format 14.9.
  */
object TypeText {

  /** The type of a stored text; `LakeType.Unknown` for a text that this version does not know. */
  def parse(text: String): LakeType = {
    val lower = text.trim.toLowerCase(Locale.ROOT)
    named
      .get(lower)
      .orElse(decimal(lower))
      .orElse(geometry(lower))
      .getOrElse(LakeType.Unknown(text))
  }

  /** The text that is stored for a type. */
  def print(lakeType: LakeType): String =
    lakeType match {
      case LakeType.Bool => "boolean"
      case LakeType.Int8 => "int8"
      case LakeType.Int16 => "int16"
      case LakeType.Int32 => "int32"
      case LakeType.Int64 => "int64"
      case LakeType.Int128 => "int128"
      case LakeType.UInt8 => "uint8"
      case LakeType.UInt16 => "uint16"
      case LakeType.UInt32 => "uint32"
      case LakeType.UInt64 => "uint64"
      case LakeType.UInt128 => "uint128"
      case LakeType.Float32 => "float32"
      case LakeType.Float64 => "float64"
      case LakeType.Decimal(precision, scale) => s"decimal($precision,$scale)"
      case LakeType.Date => "date"
      case LakeType.Time => "time"
      case LakeType.TimeNs => "time_ns"
      case LakeType.TimeTz => "timetz"
      case LakeType.Timestamp => "timestamp"
      case LakeType.TimestampS => "timestamp_s"
      case LakeType.TimestampMs => "timestamp_ms"
      case LakeType.TimestampNs => "timestamp_ns"
      case LakeType.TimestampTz => "timestamptz"
      case LakeType.TimestampTzNs => "timestamptz_ns"
      case LakeType.Interval => "interval"
      case LakeType.Varchar => "varchar"
      case LakeType.Json => "json"
      case LakeType.Blob => "blob"
      case LakeType.Uuid => "uuid"
      case LakeType.Variant => "variant"
      case LakeType.NullType => "null"
      case LakeType.Geometry(family) => family
      case LakeType.ListType => "list"
      case LakeType.StructType => "struct"
      case LakeType.MapType => "map"
      case LakeType.Unknown(text) => text
    }

  private val plain: Vector[LakeType] = Vector(
    LakeType.Bool,
    LakeType.Int8,
    LakeType.Int16,
    LakeType.Int32,
    LakeType.Int64,
    LakeType.Int128,
    LakeType.UInt8,
    LakeType.UInt16,
    LakeType.UInt32,
    LakeType.UInt64,
    LakeType.UInt128,
    LakeType.Float32,
    LakeType.Float64,
    LakeType.Date,
    LakeType.Time,
    LakeType.TimeNs,
    LakeType.TimeTz,
    LakeType.Timestamp,
    LakeType.TimestampS,
    LakeType.TimestampMs,
    LakeType.TimestampNs,
    LakeType.TimestampTz,
    LakeType.TimestampTzNs,
    LakeType.Interval,
    LakeType.Varchar,
    LakeType.Json,
    LakeType.Blob,
    LakeType.Uuid,
    LakeType.Variant,
    LakeType.NullType,
    LakeType.ListType,
    LakeType.StructType,
    LakeType.MapType,
  )

  private val named: Map[String, LakeType] =
    plain
      .map(lakeType => print(lakeType) -> lakeType)
      .toMap + ("timestamp_us" -> LakeType.Timestamp)

  private val families: Set[String] = Set(
    "geometry",
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
    "linestring_z",
  )

  private val decimalPattern = """decimal\s*\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)""".r

  private def decimal(lower: String): Option[LakeType] =
    lower match {
      case decimalPattern(precision, scale) => decimal(precision.toInt, scale.toInt)
      case _ => None
    }

  private def decimal(precision: Int, scale: Int): Option[LakeType] =
    Option.when(precision >= 1 && precision <= 38 && scale <= precision)(
      LakeType.Decimal(precision, scale)
    )

  private def geometry(lower: String): Option[LakeType] =
    Option.when(families.contains(lower.replace(' ', '_')))(LakeType.Geometry(lower))
}
