package ducklake.spark.extension.foreign

import org.scalatest.funsuite.AnyFunSuite

/** Which statements begin or end a transaction, and which only have such words in them. */
final class TransactionWordsSpec extends AnyFunSuite {

  for (
    (sql, procedure) <- Vector(
      "BEGIN TRANSACTION" -> "begin_transaction",
      "-- two tables\n begin\n transaction ;" -> "begin_transaction",
      "BEGIN WORK" -> "begin_transaction",
      "START TRANSACTION;" -> "begin_transaction",
      "COMMIT" -> "commit_transaction",
      "Commit Work /* all */ ;" -> "commit_transaction",
      "COMMIT TRANSACTION" -> "commit_transaction",
      "ROLLBACK;" -> "rollback_transaction",
      "ROLLBACK WORK" -> "rollback_transaction",
      "/* no */ ROLLBACK TRANSACTION" -> "rollback_transaction",
    )
  )
    test(s"a transaction's statement is: $sql") {
      assert(
        TransactionWords.find(sql).map(_.call("lake")) == Some(s"CALL lake.system.$procedure()")
      )
    }

  for (
    sql <- Vector(
      "BEGIN",
      "BEGIN;",
      "BEGIN SELECT 1; END",
      "BEGIN COMMIT; END",
      "BEGIN TRANSACTION; SELECT 1; COMMIT",
      "BEGIN\nDECLARE transaction INT; END",
      "START TRANSACTION READ ONLY",
      "COMMIT; SELECT 1",
      "ROLLBACK TO SAVEPOINT a",
      "SELECT 'COMMIT'",
      "SELECT commit FROM t",
      "-- COMMIT",
      "COMMITTED",
    )
  )
    test(s"another statement is: $sql") {
      assert(TransactionWords.find(sql).isEmpty)
    }

  test("the lake's name is quoted where it needs it") {
    assert(
      TransactionWords.find("COMMIT").map(_.call("my`lake")) ==
        Some("CALL `my``lake`.system.commit_transaction()")
    )
  }
}
