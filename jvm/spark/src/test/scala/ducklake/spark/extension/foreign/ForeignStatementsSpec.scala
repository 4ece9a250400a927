package ducklake.spark.extension.foreign

import ducklake.spark.errors.DuckLakeException
import org.scalatest.funsuite.AnyFunSuite

final class ForeignStatementsSpec extends AnyFunSuite {

  private val cause = new Exception("the parser's own")

  private def tableOf(name: Vector[String]): Option[StatementTable] = name match {
    case Vector("lake", table) => Some(StatementTable("lake", Vector("main"), table))
    case "lake" +: schema :+ table => Some(StatementTable("lake", schema, table))
    case Vector("t") => Some(StatementTable("lake", Vector("main"), "t"))
    case _ => None
  }

  /** The tables of the current lake. */
  private def isThere(name: String): Boolean = name == "t"

  private def refusal(sql: String): Option[String] =
    try {
      ForeignStatements.refuseParsed(sql, tableOf, isThere)
      ForeignStatements.refuse(sql, tableOf, cause)
      None
    } catch { case refused: DuckLakeException => Some(refused.getMessage) }

  for (
    (sql, way) <- Vector(
      "OPTIMIZE lake.main.t ZORDER BY (a, b)" -> "ALTER TABLE lake.main.t SET SORTED BY (a, b)",
      "/* by a job */ optimize lake.`my t` FULL;" -> "OPTIMIZE lake.main.`my t`",
      "VACUUM lake.t RETAIN 1 HOURS DRY RUN" ->
        "lake.system.cleanup_old_files(older_than => now() - INTERVAL 1 HOURS, dry_run => true)",
      "VACUUM lake.t" -> "lake.system.expire_snapshots(older_than => now() - INTERVAL 168 HOURS)",
      "RESTORE TABLE lake.a.t TO VERSION AS OF 3" -> "lake.system.rollback_to_snapshot('a.t', s",
      "CREATE OR REPLACE TABLE other.x SHALLOW CLONE lake.t" -> "AS SELECT",
      "CREATE TABLE IF NOT EXISTS x CLONE lake.t VERSION AS OF 1" -> "AS SELECT",
      "DESCRIBE HISTORY lake.a.b.t AS JSON" -> "SELECT * FROM lake.a.b.t.snapshots",
      "DESC DETAIL lake.t" -> "table_info",
      "SHOW PARTITIONS `t` PARTITION (a = 1)" -> "SELECT * FROM lake.main.t.partitions",
      "ALTER TABLE lake.t ADD PARTITION FIELD bucket(4, a)" -> "SET PARTITIONED BY",
      "ALTER TABLE lake.t WRITE ORDERED BY a" -> "SET SORTED BY",
      "ALTER TABLE lake.t CREATE TAG x AS OF VERSION 1" -> "VERSION AS OF",
      "ALTER TABLE lake.t CREATE OR REPLACE BRANCH x" -> "VERSION AS OF",
      "ANALYZE TABLE lake.t COMPUTE STATISTICS FOR ALL COLUMNS" -> "statistics",
      "MSCK REPAIR TABLE lake.t" -> "catalog",
      "ALTER TABLE lake.t DROP IF EXISTS PARTITION (a = 1)" -> "DELETE",
      "ALTER TABLE lake.t ADD CONSTRAINT c CHECK (a > 0)" -> "NOT NULL",
    )
  )
    test(s"a lake has its own way instead of: $sql") {
      assert(refusal(sql).exists(_.contains(way)), refusal(sql))
    }

  for (
    sql <- Vector(
      "OPTIMIZE other.t",
      "VACUUM u",
      "DESCRIBE HISTORY other.t",
      "DESCRIBE history",
      "DESCRIBE HISTORY a",
      "SHOW PARTITIONS x",
      "SHOW PARTITIONS other.t",
      "SELECT 'OPTIMIZE lake.t'",
      "OPTIMIZEX lake.t",
      "ALTER TABLE lake.t ADD COLUMN a INT",
      "ALTER TABLE lake.t ADD COLUMNS (partition INT)",
      "CREATE TABLE lake.x AS SELECT 1 AS clone",
    )
  )
    test(s"nothing is said of: $sql") {
      assert(refusal(sql).isEmpty)
    }
}
