package ducklake.catalog.fuzz

import ducklake.catalog.testkit.BrokenText
import org.scalatest.funsuite.AnyFunSuite

final class CatalogTextsSpec extends AnyFunSuite {
  private val seeds = Vector(
    "ducklake:sqlite:a/b.sqlite",
    "ducklake:postgres:host=h dbname='d b' user=u password=p\\'q",
    "postgresql://u:p%40@[::1]:5432/db?sslmode=require&x=%zz",
    "jdbc:postgresql://h:1,g:2/d?user=u",
    "created_table:\"a\".\"b\"\"c\",inserted_into_table:17,altered_view:9",
    "bucket(16, x)",
    "decimal(38,10)",
    "2024-02-29 23:59:59.123456789+05:30",
    "290309-12-22 (BC) 00:00:00",
    "infinity",
    "-12:34:56.789-15:59:59",
    "1 year -2 mons 3 days 04:05:06.789",
    "-170141183460469231731687303715884105728",
    "1.7976931348623157e308",
    "{'x': 1, 'l': ['a', 'it\\'s', NULL]}",
    "[{'m': {k=2024-01-01 00:00:00}}]",
    "{12.50=\\x00\\xFF}",
    "CAST('2024-01-01' AS DATE) + INTERVAL 1 DAY",
    "\\x0A\\xZZ",
    "{\"a\": [1, 2.5e3, \"\\u0041\", null]}",
    "POINT (1 2)",
    "{6ba7b810-9DAD-11D1-80B4-00C04FD430C8}",
    "128MB",
    "v=STRUCT(n BIGINT, \"a \"\"b\" VARCHAR[][])\nw=NULL",
    "42 2026-11-27T08:30:00.123456Z",
  )

  test("no text makes a reader throw") {
    val thrown = new BrokenText(seeds).faults(2000)(CatalogTexts.readByAll)
    assert(thrown.isEmpty, thrown.take(20).mkString("\n"))
  }

  test("deep nesting does not overflow the stack") {
    Seq("(", "[", "{", "{'a': ", "-", "CAST(", "NOT ").foreach { opening =>
      CatalogTexts.readByAll(opening * 3000)
    }
    CatalogTexts.readByAll("v=" + "STRUCT(a " * 3000)
    CatalogTexts.readByAll("v=INT" + "[]" * 20000)
    CatalogTexts.readByAll("v=STRUCT(\"" + "a" * 20000 + "\" INT)")
  }
}
