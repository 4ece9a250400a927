package ducklake.spark.types

import ducklake.catalog.model.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

/** Column types that SQL cannot say, as the table properties `ducklake.type.<column>`. */
object ChosenTypes {

  /** The DuckLake type of a column whose Spark type alone would make another one. */
  def of(column: Column): Option[String] =
    column.dataType match {
      case LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.UInt64 | LakeType.Int128 |
          LakeType.UInt128 | LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs |
          LakeType.Time | LakeType.TimeNs | LakeType.TimeTz | LakeType.Interval | LakeType.Uuid |
          LakeType.Json | LakeType.Geometry(_) =>
        Some(TypeText.print(column.dataType))
      case _ => None
    }
}
