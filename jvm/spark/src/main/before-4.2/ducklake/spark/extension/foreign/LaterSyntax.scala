package ducklake.spark.extension.foreign

import ducklake.spark.extension.LaterTypes
import ducklake.spark.extension.foreign.ForeignStatements.Foreign
import ducklake.spark.extension.foreign.ForeignStatements.foreign
import ducklake.spark.extension.foreign.ForeignStatements.name
import ducklake.spark.extension.foreign.ForeignStatements.part

/** Statements that Spark has from 4.2 on for tables of a lake. */
private[foreign] object LaterSyntax {

  private val create = "CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?"

  /** Spark 4.0 and 4.1 parse them, and look for the names in their own catalog. */
  val parsed: Vector[Foreign] = Vector(
    foreign(
      s"$create$name\\s+LIKE",
      "CREATE TABLE … LIKE for the table",
      table =>
        "Spark 4.2 and newer have it for lakes. Without rows, CREATE TABLE " +
          s"${table.sql} AS SELECT * FROM … LIMIT 0 takes over names and types of the columns.",
    ).copy(makesTable = true),
    foreign(
      s"$create$part(?:\\s*\\.\\s*$part)*\\s+LIKE\\s+$name",
      "CREATE TABLE … LIKE the table",
      table =>
        "Spark 4.2 and newer have it for lakes. Without rows, CREATE TABLE … AS SELECT * FROM " +
          s"${table.sql} LIMIT 0 takes over names and types of the columns.",
    ),
  )

  /** A statement that defines a column of a type, before any text. */
  private def defining(kind: String, instead: String): Vector[Foreign] =
    Vector(
      s"(?:CREATE\\s+(?:OR\\s+REPLACE\\s+)?|REPLACE\\s+)TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?$name\\s*\\(",
      s"ALTER\\s+TABLE\\s+$name\\s+(?:ADD|REPLACE)\\s+COLUMNS?",
    ).map { start =>
      foreign(s"$start[^']*?(?:$part\\s+|[:<]\\s*)$kind", s"The type $kind in", _ => instead)
    }

  /** Spark 4.0 and 4.1 do not parse them. */
  val notParsed: Vector[Foreign] = defining(
    "TIME",
    "Spark 4.1 and newer have it, where `spark.sql.timeType.enabled` is true. DuckDB can define the " +
      "column, whose times are texts in Spark.",
  ) ++ defining("GEOMETRY", LaterTypes.Geometry) ++ Vector(
    foreign(
      s"INSERT\\s+WITH\\s+SCHEMA\\s+EVOLUTION\\s+(?:INTO|OVERWRITE)\\s+(?:TABLE\\s+)?$name",
      "INSERT WITH SCHEMA EVOLUTION of",
      table =>
        "Spark 4.2 and newer have it. Add the columns before the INSERT: ALTER TABLE " +
          s"${table.sql} ADD COLUMNS (…).",
    ),
    foreign(
      s"CREATE\\s+(?:OR\\s+REPLACE\\s+)?VIEW\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?$name\\s+.*?WITH\\s+METRICS",
      "A metric view",
      _ => "Spark 4.2 and newer have metric views, of a lake's tables in Spark's own catalog.",
    ),
    foreign(
      s".*?\\b(?:FROM|JOIN|STREAM)\\s+$name\\s+CHANGES\\s+FROM",
      "The clause CHANGES for",
      table =>
        "Spark 4.2 and newer have it. Read the table's own table `changes`: SELECT * FROM " +
          s"${table.sql("changes")} WITH ('start-snapshot' = '3').",
    ),
  )
}
