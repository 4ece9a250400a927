package ducklake.spark.docs

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.spark.types.SparkTypes

/** `jvm/docs/types.md`: each DuckLake type as Spark shows it. */
final class TypesPageSpec extends RecordedPage {

  private val shown: Seq[LakeType] = Seq(
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
    LakeType.Decimal(18, 3),
    LakeType.Varchar,
    LakeType.Blob,
    LakeType.Date,
    LakeType.Timestamp,
    LakeType.TimestampS,
    LakeType.TimestampMs,
    LakeType.TimestampNs,
    LakeType.TimestampTz,
    LakeType.TimestampTzNs,
    LakeType.Time,
    LakeType.TimeNs,
    LakeType.TimeTz,
    LakeType.Interval,
    LakeType.Uuid,
    LakeType.Json,
    LakeType.Variant,
    LakeType.NullType,
    LakeType.Geometry("geometry"),
  )

  /** What a reader must know beyond the name of the type. */
  private def note(lakeType: LakeType): String =
    lakeType match {
      case LakeType.Int128 | LakeType.UInt128 =>
        "a value of 39 digits is an error that names column and value"
      case LakeType.Date | LakeType.Timestamp | LakeType.TimestampTz =>
        "infinities are the smallest and the largest value"
      case LakeType.TimestampS | LakeType.TimestampMs =>
        "infinities are the smallest and the largest value"
      case LakeType.TimestampNs => "rounded down to microseconds; infinities as above"
      case LakeType.TimestampTzNs =>
        "rounded down to microseconds; infinities as above; made by DuckDB 2.0 only"
      case LakeType.Varchar =>
        "CHAR(n) and VARCHAR(n) keep their lengths, which Spark obeys and DuckDB does not"
      case LakeType.NullType => "NULL alone; in lakes of version 1.1, made by DuckDB 2.0 only"
      case LakeType.Time =>
        "`HH:MM:SS[.ffffff]`; TIME(6) where `spark.sql.timeType.enabled` is true when the session " +
          "first uses the catalog"
      case LakeType.TimeNs | LakeType.TimeTz | LakeType.Interval => "DuckDB's text"
      case LakeType.Geometry(_) => "well-known binary; the same for point, polygon and so on"
      case _ => ""
    }

  private def sparkName(lakeType: LakeType): String = {
    val column =
      Column(ColumnId(1), "c", lakeType, nullsAllowed = true, None, None, None, Vector.empty)
    SparkTypes.of(column, SparkTypes.TimeRule.AsString).sql
  }

  private def page: String = {
    val rows = shown.map(t => Seq(TypeText.print(t), sparkName(t), note(t)))
    s"""# Types
       |
       |What each DuckLake type is in Spark. This page is made from the code.
       |
       |${table(Seq("DuckLake", "Spark", ""), rows)}
       || list, struct, map | ARRAY, STRUCT, MAP | any depth; every part by the rules above |
       |
       |A column of a type that is not in this list makes only those queries fail that select it.
       |""".stripMargin
  }

  test("the page of types is what the code does") {
    assertRecorded("types.md", page)
  }
}
