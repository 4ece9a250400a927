package ducklake.spark.extension.foreign

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.DuckLakeException

import scala.util.matching.Regex

/** A statement that begins or ends a transaction, as DuckDB and standard SQL have it. Spark refuses
  * these statements. Pure.
  *
  * @param procedure the procedure that does the same
  * @param action what the statement does, for messages
  */
final case class TransactionWords(procedure: String, action: String) {

  /** The CALL of the procedure of a lake, as SQL. */
  def call(lake: String): String =
    s"CALL ${StatementTable.identifier(lake)}.system.$procedure()"

  /** The error when the current catalog is not a lake.
    *
    * @param cause the parser's error
    */
  def refusal(cause: Exception): DuckLakeException = {
    val why = "the current catalog is not a lake"
    val hint = s"Run `USE lake` first, or `${call("lake")}`."
    val error = LakeError.TransactionState(action, why, hint)
    val refused = new DuckLakeException(error, new LakeException(error))
    refused.addSuppressed(cause)
    refused
  }
}

object TransactionWords {

  private def whole(words: String): Regex =
    s"(?is)${ForeignStatements.gap}$words${ForeignStatements.end}".r

  private val known = Vector(
    whole("(?:BEGIN|START)\\s+(?:TRANSACTION|WORK)") ->
      TransactionWords("begin_transaction", "begin a transaction"),
    whole("COMMIT(?:\\s+(?:TRANSACTION|WORK))?") ->
      TransactionWords("commit_transaction", "commit a transaction"),
    whole("ROLLBACK(?:\\s+(?:TRANSACTION|WORK))?") ->
      TransactionWords("rollback_transaction", "roll back a transaction"),
  )

  /** None for all other statements, also for a bare BEGIN, which opens a script of Spark. */
  def find(sql: String): Option[TransactionWords] =
    known.collectFirst { case (pattern, words) if pattern.matches(sql) => words }
}
