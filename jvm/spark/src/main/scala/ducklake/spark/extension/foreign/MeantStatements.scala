package ducklake.spark.extension.foreign

import scala.util.matching.Regex

/** Statements of other table formats that mean something that a lake can do. They are rewritten to
  * Spark's SQL when they name a table of a lake:
  *   - `DESCRIBE HISTORY t` reads the snapshots that changed the table, the newest first;
  *   - `SHOW PARTITIONS t` reads the table's partitions;
  *   - `OPTIMIZE t` merges the table's small files.
  *
  * Forms with more clauses are refused by [[ForeignStatements]].
  */
object MeantStatements {

  private val name = ForeignStatements.name

  private def meant(words: String): Regex =
    s"(?is)${ForeignStatements.gap}$words${ForeignStatements.end}".r

  private val history =
    meant(s"(?:DESCRIBE|DESC)\\s+HISTORY\\s+$name(?:\\s+LIMIT\\s+([0-9]+))?")
  private val partitions = meant(s"SHOW\\s+PARTITIONS\\s+$name")
  private val optimize = meant(s"OPTIMIZE\\s+$name")

  /** The statement in Spark's SQL; None for other statements, and for tables outside of lakes.
    *
    * @param tableOf the table of a lake that a name means
    * @param isThere whether a name without schema is the name of an existing table of a lake
    */
  def rewrite(
      sql: String,
      tableOf: Vector[String] => Option[StatementTable],
      isThere: String => Boolean,
  ): Option[String] = {
    def named(name: String): Option[StatementTable] = tableOf(ForeignStatements.parts(name))
    def existing(name: String): Option[StatementTable] = ForeignStatements.parts(name) match {
      case Vector(bareName) if !isThere(bareName) => None
      case _ => named(name)
    }
    sql match {
      // Spark means the column of a table called `history`.
      case history(table, limit) if !isThere("history") =>
        existing(table).map(each => newestFirst(each, Option(limit)))
      case partitions(table) =>
        existing(table).map(each => s"SELECT * FROM ${each.sql("partitions")}")
      case optimize(table) =>
        named(table).map(each => s"${each.call("merge_adjacent_files")}(${each.arguments})")
      case _ => None
    }
  }

  private def newestFirst(table: StatementTable, limit: Option[String]): String =
    s"SELECT * FROM ${table.sql("snapshots")} ORDER BY snapshot_id DESC" +
      limit.fold("")(number => s" LIMIT $number")
}
