package ducklake.catalog.types.expression

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

import java.util.Locale

import scala.util.matching.Regex

/** Types without children by their names in DuckDB's SQL. */
private[expression] object SqlType {

  /** A name of a type and its arguments, with blanks behind it. */
  val pattern: Regex =
    """(?:"([A-Za-z_0-9 ]+)"|([A-Za-z_0-9 ]+))\s*(\(\s*\d+\s*(?:,\s*\d+\s*)?\))?""".r

  /** The type that the text begins with, by a name that DuckDB itself stores. */
  def stored(text: String): Option[LakeType.Primitive] = of(text, names)

  /** The type that the text begins with, by any of its names that users write. */
  def written(text: String): Option[LakeType.Primitive] = of(text, names ++ aliases)

  private def of(
      text: String,
      known: Map[String, LakeType.Primitive],
  ): Option[LakeType.Primitive] =
    pattern.findPrefixMatchOf(text).flatMap { found =>
      val name = Option(found.group(1)).getOrElse(found.group(2)).trim.toUpperCase(Locale.ROOT)
      val arguments = Option(found.group(3)).map(_.filterNot(_.isWhitespace)).getOrElse("")
      if (name == "DECIMAL" || name == "NUMERIC")
        Some(TypeText.parse(s"decimal$arguments")).collect { case decimal: LakeType.Decimal =>
          decimal
        }
      else if (arguments.isEmpty) known.get(name)
      else None
    }

  private val names: Map[String, LakeType.Primitive] = Map(
    "BOOLEAN" -> LakeType.Bool,
    "TINYINT" -> LakeType.Int8,
    "SMALLINT" -> LakeType.Int16,
    "INTEGER" -> LakeType.Int32,
    "BIGINT" -> LakeType.Int64,
    "HUGEINT" -> LakeType.Int128,
    "UTINYINT" -> LakeType.UInt8,
    "USMALLINT" -> LakeType.UInt16,
    "UINTEGER" -> LakeType.UInt32,
    "UBIGINT" -> LakeType.UInt64,
    "FLOAT" -> LakeType.Float32,
    "REAL" -> LakeType.Float32,
    "DOUBLE" -> LakeType.Float64,
    "VARCHAR" -> LakeType.Varchar,
    "BLOB" -> LakeType.Blob,
    "DATE" -> LakeType.Date,
    "TIME" -> LakeType.Time,
    "TIME WITH TIME ZONE" -> LakeType.TimeTz,
    "TIMESTAMP" -> LakeType.Timestamp,
    "TIMESTAMP_S" -> LakeType.TimestampS,
    "TIMESTAMP_MS" -> LakeType.TimestampMs,
    "TIMESTAMP_NS" -> LakeType.TimestampNs,
    "TIMESTAMP WITH TIME ZONE" -> LakeType.TimestampTz,
    "INTERVAL" -> LakeType.Interval,
    "UUID" -> LakeType.Uuid,
    "JSON" -> LakeType.Json,
  )

  private val aliases: Map[String, LakeType.Primitive] = Map(
    "BOOL" -> LakeType.Bool,
    "INT1" -> LakeType.Int8,
    "INT2" -> LakeType.Int16,
    "SHORT" -> LakeType.Int16,
    "INT" -> LakeType.Int32,
    "INT4" -> LakeType.Int32,
    "INT8" -> LakeType.Int64,
    "LONG" -> LakeType.Int64,
    "FLOAT4" -> LakeType.Float32,
    "FLOAT8" -> LakeType.Float64,
    "TEXT" -> LakeType.Varchar,
    "STRING" -> LakeType.Varchar,
    "BYTEA" -> LakeType.Blob,
    "BINARY" -> LakeType.Blob,
    "TIMESTAMPTZ" -> LakeType.TimestampTz,
    "DATETIME" -> LakeType.Timestamp,
  )
}
