package ducklake.spark.extension

import org.scalatest.funsuite.AnyFunSuite

class AlterClauseSpec extends AnyFunSuite {

  private def called(sql: String): String =
    AlterClause.parse(sql).fold(fail(s"not understood: $sql"))(_.call("lake", "main"))

  test("keys and sort orders become arrays of texts") {
    assert(
      called("alter table t set partitioned by (year(ts), bucket(4, \"a,b\"), `c d`);") ==
        "CALL `lake`.system.set_partitioned_by(table_name => 't', schema => 'main', " +
        "transforms => array('year(ts)', 'bucket(4, \"a,b\")', '`c d`'))"
    )
    assert(
      called("ALTER TABLE lake.main.t SET SORTED BY (a DESC NULLS FIRST,b)") ==
        "CALL `lake`.system.set_sorted_by(table_name => 't', schema => 'main', " +
        "expressions => array('a DESC NULLS FIRST', 'b'))"
    )
  }

  test("RESET and SET NOT NULL") {
    assert(
      called("ALTER TABLE t RESET SORTED BY") ==
        "CALL `lake`.system.reset_sorted_by(table_name => 't', schema => 'main')"
    )
    assert(
      called("ALTER TABLE t\n ALTER COLUMN \"it's\" SET NOT NULL") ==
        "CALL `lake`.system.set_not_null(table_name => 't', schema => 'main', " +
        "column => 'it\\'s')"
    )
  }

  test("a name keeps its parts, quoted or not") {
    assert(
      AlterClause.parse("ALTER TABLE `a``b` . \"c.d\".e RESET PARTITIONED BY").map(_.table) ==
        Some(Vector("a`b", "c.d", "e"))
    )
  }

  test("a comment behind the list is no part of it") {
    assert(
      called("ALTER TABLE t SET SORTED BY (a, bucket(4, b)) /* (c) */ -- d)") ==
        "CALL `lake`.system.set_sorted_by(table_name => 't', schema => 'main', " +
        "expressions => array('a', 'bucket(4, b)'))"
    )
  }

  test("brackets, strings and comments within the list stay whole, or are left out") {
    val list = "lower(trim(a)) DESC, concat(b, ', (') /* x, y */, `c,)` -- d, e\n, \"f,(\""

    assert(
      called(s"ALTER TABLE t SET SORTED BY ($list)") ==
        "CALL `lake`.system.set_sorted_by(table_name => 't', schema => 'main', " +
        "expressions => array('lower(trim(a)) DESC', 'concat(b, \\', (\\')', '`c,)`', '\"f,(\"'))"
    )
    assert(AlterClause.parse("ALTER TABLE t SET SORTED BY (a), (b)").isEmpty)
    assert(AlterClause.parse("ALTER TABLE t SET SORTED BY (a))").isEmpty)
  }

  test("long texts are read as well as short ones") {
    val comments = "-- one\n" * 20000 + "/* two */ " * 20000 + " " * 100000
    val name = "\"" + "a" * 100000 + "\""

    assert(called(s"${comments}ALTER TABLE t SET SORTED BY ($name)").contains("aaaa"))
    assert(AlterClause.parse(comments + "SELECT 1").isEmpty)
    assert(AlterClause.parse(s"ALTER TABLE $name RESET SORTED BY$comments").nonEmpty)
  }

  test("all else is left alone") {
    val others = Vector(
      "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')",
      "SELECT 'ALTER TABLE t RESET SORTED BY'",
      "ALTER TABLE t ALTER COLUMN a SET DEFAULT 5",
      "ALTER TABLE t ALTER COLUMN a DROP NOT NULL",
      "SET PARTITIONED BY (a)",
    )

    assert(others.flatMap(AlterClause.parse) == Vector.empty)
  }
}
