package ducklake.spark.extension

import org.scalatest.funsuite.AnyFunSuite

final class AtClauseSpec extends AnyFunSuite {

  test("a version clause is said in Spark's words") {
    assert(
      AtClause
        .rewrite("SELECT * FROM lake.t AT (VERSION => 3) WHERE a = 1")
        .contains("SELECT * FROM lake.t VERSION AS OF 3 WHERE a = 1")
    )
  }

  test("a timestamp clause keeps its expression, parentheses included") {
    assert(
      AtClause
        .rewrite("select * from t at (timestamp => now() - interval (1) day) x")
        .contains("select * from t TIMESTAMP AS OF now() - interval (1) day x")
    )
  }

  test("several clauses are all rewritten") {
    assert(
      AtClause
        .rewrite("FROM t AT (VERSION => 1), u AT(VERSION=>2)")
        .contains("FROM t VERSION AS OF 1, u VERSION AS OF 2")
    )
  }

  for (quote <- Vector("'", "\"", "`"))
    test(s"long texts are passed over: $quote") {
      val long = quote + "AT (VERSION => 3) " * 10000 + quote

      assert(AtClause.rewrite(s"SELECT $long").isEmpty)
      assert(
        AtClause
          .rewrite(s"FROM t AT (TIMESTAMP => $long)")
          .contains(s"FROM t TIMESTAMP AS OF $long")
      )
    }

  for (
    untouched <- Vector(
      "SELECT 'x AT (VERSION => 3)'",
      "SELECT `AT (VERSION => 3)` FROM t",
      "SELECT 1 -- AT (VERSION => 3)",
      "SELECT 1 /* AT (VERSION => 3) */",
      "SELECT ')' AT (VERSION => 3",
      "SELECT flat (version => 3)",
    )
  )
    test(s"a text without a clause is left alone: $untouched") {
      assert(AtClause.rewrite(untouched).isEmpty)
    }
}
