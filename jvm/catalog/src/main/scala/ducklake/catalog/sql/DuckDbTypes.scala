package ducklake.catalog.sql

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType

/** Type declarations in DuckDB's SQL. */
object DuckDbTypes {

  /** The declaration of a column's type. None for types that DuckDB cannot declare in an inlined
    * table.
    */
  def declared(column: Column): Option[String] = column.dataType match {
    case LakeType.ListType =>
      column.children.headOption.flatMap(declared).map(element => s"$element[]")
    case LakeType.MapType =>
      val parts = column.children.flatMap(declared)
      Option.when(parts.size == 2)(s"MAP(${parts.mkString(", ")})")
    case LakeType.StructType =>
      val fields = column.children.flatMap { field =>
        declared(field).map(text => s"${Sql.identifier(field.name).quoted} $text")
      }
      Option.when(fields.size == column.children.size)(s"STRUCT(${fields.mkString(", ")})")
    case primitive: LakeType.Primitive => declared(primitive)
  }

  private def declared(lakeType: LakeType.Primitive): Option[String] = lakeType match {
    case LakeType.Bool => Some("BOOLEAN")
    case LakeType.Int8 => Some("TINYINT")
    case LakeType.Int16 => Some("SMALLINT")
    case LakeType.Int32 => Some("INTEGER")
    case LakeType.Int64 => Some("BIGINT")
    case LakeType.Int128 => Some("HUGEINT")
    case LakeType.UInt8 => Some("UTINYINT")
    case LakeType.UInt16 => Some("USMALLINT")
    case LakeType.UInt32 => Some("UINTEGER")
    case LakeType.UInt64 => Some("UBIGINT")
    case LakeType.UInt128 => Some("UHUGEINT")
    case LakeType.Float32 => Some("FLOAT")
    case LakeType.Float64 => Some("DOUBLE")
    case LakeType.Decimal(precision, scale) => Some(s"DECIMAL($precision,$scale)")
    case LakeType.Date => Some("DATE")
    case LakeType.Time => Some("TIME")
    case LakeType.TimeNs => Some("TIME_NS")
    case LakeType.TimeTz => Some("TIME WITH TIME ZONE")
    case LakeType.Timestamp => Some("TIMESTAMP")
    case LakeType.TimestampS => Some("TIMESTAMP_S")
    case LakeType.TimestampMs => Some("TIMESTAMP_MS")
    case LakeType.TimestampNs => Some("TIMESTAMP_NS")
    case LakeType.TimestampTz => Some("TIMESTAMP WITH TIME ZONE")
    case LakeType.TimestampTzNs => Some("TIMESTAMPTZ_NS")
    case LakeType.Interval => Some("INTERVAL")
    case LakeType.Varchar => Some("VARCHAR")
    case LakeType.Json => Some("JSON")
    case LakeType.Blob => Some("BLOB")
    case LakeType.Uuid => Some("UUID")
    case LakeType.Variant => Some("VARIANT")
    case LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) => None
  }
}
