package ducklake.spark.fuzz

import ducklake.catalog.testkit.BrokenText
import org.scalatest.concurrent.TimeLimits
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.SpanSugar.convertIntToGrainOfTime

final class SparkTextsSpec extends AnyFunSuite with TimeLimits {
  private val seeds = Vector(
    "ALTER TABLE lake.main.t SET PARTITIONED BY (year(d), bucket(4, \"a b\"))",
    "alter table `l``x`.t reset sorted by;",
    "/* a */ ALTER TABLE t ALTER COLUMN c SET NOT NULL -- b",
    "SELECT * FROM lake.t AT (VERSION => 3) JOIN u AT (TIMESTAMP => now() - INTERVAL (1) DAY) x",
    "INSERT INTO lake.t BY NAME REPLACE USING (a, `b c`) SELECT 1 AS a, 'x' AS `b c`",
    "DESCRIBE HISTORY lake.t LIMIT 3",
    "OPTIMIZE lake.t WHERE a > 1 ZORDER BY (a, b)",
    "VACUUM lake.t RETAIN 12 HOURS DRY RUN",
    "RESTORE TABLE lake.t TO VERSION AS OF 3",
    "CREATE OR REPLACE TABLE a.b SHALLOW CLONE lake.t",
    "BEGIN TRANSACTION; ROLLBACK WORK",
    "ATTACH 'ducklake:sqlite:a.db' AS lake (DATA_PATH 'b')",
    "COPY (SELECT 1) TO 'x'; COPY lake.t (a, b) FROM 'y'",
    "SELECT count(), CAST(a AS VARCHAR), b ~~ '%x''y' FROM lake.main.\"t\"\"u\" WHERE c = ANY(SELECT 1)",
    "a DESC NULLS LAST, \"b c\" ASC",
    "bucket(4, \"a b\")",
    "3=varchar(10),5=char(2)",
    "INTERVAL '1-2' YEAR TO MONTH",
    "$.a[3]['b c']",
    "key, `second key`",
    "ducklake:postgres:host=h dbname=d",
    "12",
  )

  test("no text makes a reader throw") {
    val thrown = new BrokenText(seeds).faults(1000)(SparkTexts.readByAll)
    assert(thrown.isEmpty, thrown.take(20).mkString("\n"))
  }

  private val repeated = Vector("(", "[", "{", "`", "\"", "'", "\"\"", "``", "''") ++
    Vector(" ", "a.", "a, ", "--\n", "/*", "/**/", ";", "AT (VERSION => 1) ", "AT (VERSION => ")

  private val openings =
    Vector("", "SELECT ", "\"", "`", "'", "OPTIMIZE t ZORDER BY (", "CREATE TABLE ", "COPY t (") ++
      Vector("INSERT INTO t REPLACE USING (a) ", "INSERT INTO t REPLACE USING (", "INSERT INTO ") ++
      Vector("ALTER TABLE ", "ALTER TABLE t SET SORTED BY (", "VACUUM t ", "bucket(4, ")

  test("long texts end soon, and leave the stack") {
    val faults = for {
      opening <- openings
      piece <- repeated
      end <- Vector("", ")", "\"", "'", "`")
      text = opening + piece * (15000 / piece.length) + end
      fault <- BrokenText.fault(text) { each =>
        failAfter(20.seconds)(SparkTexts.readAsStatement(each))
      }
    } yield s"$opening$piece…$end: ${fault.takeRight(120)}"
    assert(faults.isEmpty, faults.mkString("\n"))
  }
}
