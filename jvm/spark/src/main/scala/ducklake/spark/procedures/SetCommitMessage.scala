package ducklake.spark.procedures

import ducklake.catalog.change.operation.CommitInfo
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Sets author, message and extra info of the next commit of this session. */
final class SetCommitMessage(session: SessionLake)
    extends LakeChange(
      "set_commit_message",
      "Author, message and extra info of this session's next commit",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.required("author"),
    Arguments.required("commit_message"),
    Arguments.optional("extra_info"),
  )

  /** As in DuckDB 1.5.5: the part is empty. */
  override def takesNulls: Boolean = true

  override def run(arguments: Arguments): Unit =
    session.announce(CommitInfo(arguments.text(0), arguments.text(1), arguments.text(2)))
}
