package ducklake.spark.extension.foreign

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

  /** Spark 4.0 and 4.1 do not parse them. */
  val notParsed: Vector[Foreign] = Vector(
    foreign(
      s"INSERT\\s+WITH\\s+SCHEMA\\s+EVOLUTION\\s+(?:INTO|OVERWRITE)\\s+(?:TABLE\\s+)?$name",
      "INSERT WITH SCHEMA EVOLUTION of",
      table =>
        "Spark 4.2 and newer have it. Add the columns before the INSERT: ALTER TABLE " +
          s"${table.sql} ADD COLUMNS (…).",
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
