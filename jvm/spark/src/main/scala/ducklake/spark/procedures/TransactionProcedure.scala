package ducklake.spark.procedures

import ducklake.catalog.change.operation.CommitInfo
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import ducklake.spark.transaction.Transactions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructType

/** A procedure that begins or ends the session's transaction over several statements. Its result is
  * one row with a snapshot.
  */
sealed abstract class TransactionProcedure(procedure: String, sentence: String)
    extends LakeProcedure(procedure, sentence) {

  final override def isPartOfTransactions: Boolean = true

  /** The snapshot; None when there is none. */
  def snapshot(arguments: Arguments): Option[Long]

  final override def result(row: InternalRow): LocalResult = {
    val found = snapshot(new Arguments(procedure, row))
    new LocalResult(TransactionProcedure.schema, () => Vector(Vector(found)))
  }
}

object TransactionProcedure {

  val schema: StructType = new StructType().add("snapshot_id", LongType)

  def all(session: SessionLake): Vector[LakeProcedure] = {
    val transactions = new Transactions(session)
    Vector(
      new BeginTransaction(transactions),
      new CommitTransaction(transactions),
      new RollbackTransaction(transactions),
    )
  }
}

/** Returns the snapshot that the statements of the transaction read. */
final class BeginTransaction(transactions: Transactions)
    extends TransactionProcedure(
      "begin_transaction",
      "Makes the session's next statements one transaction",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.optional("author"),
    Arguments.optional("message"),
    Arguments.optional("extra_info"),
    Arguments.optional("app_id"),
    Arguments.optional("version", LongType),
  )

  override def snapshot(arguments: Arguments): Option[Long] = {
    val texts = CommitInfo(arguments.text(0), arguments.text(1), arguments.text(2))
    val write = StatementInfo.numbered(arguments.text(3), arguments.long(4))
    Some(transactions.begin(StatementInfo(texts, write)).id.value)
  }
}

/** Returns the new snapshot; NULL when nothing changed. */
final class CommitTransaction(transactions: Transactions)
    extends TransactionProcedure(
      "commit_transaction",
      "Makes one snapshot of the statements of the session's transaction",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array.empty

  override def snapshot(arguments: Arguments): Option[Long] =
    transactions.commit().map(_.id.value)
}

final class RollbackTransaction(transactions: Transactions)
    extends LakeChange(
      "rollback_transaction",
      "Drops the statements of the session's transaction, and their files",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array.empty

  override def run(arguments: Arguments): Unit = transactions.rollback()
}
