package ducklake.spark.types

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

/** Column types that Spark's SQL has no name for, as the table properties `ducklake.type.<column>`.
  */
object ChosenTypes {

  /** The text of the column's DuckLake type; None when a new column of the same Spark type gets
    * this type without the property.
    */
  def of(column: Column): Option[String] =
    column.dataType match {
      case LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.UInt64 | LakeType.Int128 |
          LakeType.UInt128 | LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs |
          LakeType.TimestampTzNs | LakeType.NullType | LakeType.Time | LakeType.TimeNs |
          LakeType.TimeTz | LakeType.Interval | LakeType.Uuid | LakeType.Json |
          LakeType.Geometry(_) =>
        Some(TypeText.print(column.dataType))
      case _ => None
    }
}
