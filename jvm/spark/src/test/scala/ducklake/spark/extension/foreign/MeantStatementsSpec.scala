package ducklake.spark.extension.foreign

import org.scalatest.funsuite.AnyFunSuite

final class MeantStatementsSpec extends AnyFunSuite {

  private def tableOf(name: Vector[String]): Option[StatementTable] = name match {
    case Vector("lake", table) => Some(StatementTable("lake", Vector("main"), table))
    case "lake" +: schema :+ table => Some(StatementTable("lake", schema, table))
    case Vector(table) => Some(StatementTable("lake", Vector("main"), table))
    case _ => None
  }

  private def rewritten(sql: String, there: String*): Option[String] =
    MeantStatements.rewrite(sql, tableOf, there.contains(_))

  for (
    (sql, meant) <- Vector(
      "DESCRIBE HISTORY lake.t" ->
        "SELECT * FROM lake.main.t.snapshots ORDER BY snapshot_id DESC",
      "-- why\ndesc history t limit 3;" ->
        "SELECT * FROM lake.main.t.snapshots ORDER BY snapshot_id DESC LIMIT 3",
      "SHOW PARTITIONS lake.a.`b c`.t" -> "SELECT * FROM lake.a.`b c`.t.partitions",
      "OPTIMIZE lake.a.t /* all */" ->
        "CALL lake.system.merge_adjacent_files(table_name => 't', schema => 'a')",
      "OPTIMIZE lake.a.b.`it's`" ->
        "CALL lake.system.merge_adjacent_files(table_name => 'it\\'s', schema => '\"a\".\"b\"')",
      "OPTIMIZE u" -> "CALL lake.system.merge_adjacent_files(table_name => 'u', schema => 'main')",
    )
  )
    test(s"a lake does what is meant by: $sql") {
      assert(rewritten(sql, "t") == Some(meant))
    }

  for (
    sql <- Vector(
      "DESCRIBE HISTORY other.t",
      "DESCRIBE HISTORY u",
      "DESCRIBE HISTORY t AS JSON",
      "SHOW PARTITIONS u",
      "SHOW PARTITIONS t PARTITION (a = 1)",
      "OPTIMIZE other.t",
      "OPTIMIZE t ZORDER BY (a)",
      "SELECT 'OPTIMIZE t'",
    )
  )
    test(s"another parser has the word for: $sql") {
      assert(rewritten(sql, "t").isEmpty)
    }

  test("a table with the name history is described itself") {
    assert(rewritten("DESCRIBE HISTORY t", "t", "history").isEmpty)
  }
}
