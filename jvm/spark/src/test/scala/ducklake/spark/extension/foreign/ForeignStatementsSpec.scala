package ducklake.spark.extension.foreign

import ducklake.spark.errors.DuckLakeException
import org.scalatest.funsuite.AnyFunSuite

final class ForeignStatementsSpec extends AnyFunSuite {

  private val cause = new Exception("the parser's own")

  private def isLake(name: Vector[String]): Boolean = name.head == "lake"

  /** The tables of the current lake. */
  private def isThere(name: String): Boolean = name == "t"

  private def refusal(sql: String): Option[String] =
    try {
      ForeignStatements.refuseParsed(sql, isLake, isThere)
      ForeignStatements.refuse(sql, isLake, cause)
      None
    } catch { case refused: DuckLakeException => Some(refused.getMessage) }

  for (
    (sql, way) <- Vector(
      "OPTIMIZE lake.main.t ZORDER BY (a)" -> "merge_adjacent_files",
      "/* by a job */ optimize lake.`my t`;" -> "merge_adjacent_files",
      "VACUUM lake.t RETAIN 1 HOURS DRY RUN" -> "cleanup_old_files",
      "RESTORE TABLE lake.t TO VERSION AS OF 3" -> "rollback_to_snapshot",
      "CREATE OR REPLACE TABLE other.x SHALLOW CLONE lake.t" -> "AS SELECT",
      "CREATE TABLE IF NOT EXISTS x CLONE lake.t VERSION AS OF 1" -> "AS SELECT",
      "DESCRIBE HISTORY lake.main.t LIMIT 1" -> "snapshots",
      "DESC DETAIL lake.t" -> "table_info",
      "DESCRIBE HISTORY t" -> "snapshots",
      "SHOW PARTITIONS `t`" -> "partitions",
      "ALTER TABLE lake.t ADD PARTITION FIELD bucket(4, a)" -> "SET PARTITIONED BY",
      "ALTER TABLE lake.t WRITE ORDERED BY a" -> "SET SORTED BY",
      "ALTER TABLE lake.t CREATE TAG x AS OF VERSION 1" -> "VERSION AS OF",
      "ALTER TABLE lake.t CREATE OR REPLACE BRANCH x" -> "VERSION AS OF",
      "SHOW PARTITIONS lake.main.t" -> "partitions",
      "ANALYZE TABLE lake.t COMPUTE STATISTICS FOR ALL COLUMNS" -> "statistics",
      "MSCK REPAIR TABLE lake.t" -> "catalog",
      "ALTER TABLE lake.t DROP IF EXISTS PARTITION (a = 1)" -> "DELETE",
      "ALTER TABLE lake.t ADD CONSTRAINT c CHECK (a > 0)" -> "NOT NULL",
    )
  )
    test(s"a lake is told its own way instead of: $sql") {
      assert(refusal(sql).exists(_.contains(way)), refusal(sql))
    }

  for (
    sql <- Vector(
      "OPTIMIZE other.t",
      "VACUUM t",
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
