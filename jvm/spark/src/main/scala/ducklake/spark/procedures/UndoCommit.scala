package ducklake.spark.procedures

import ducklake.catalog.types.SnapshotId
import ducklake.spark.maintenance.rollback.Rollback
import ducklake.spark.maintenance.rollback.RollbackProcedures
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType

/** Undoes the changes of one commit to tables that nobody has changed since. */
final class UndoCommit(session: SessionLake)
    extends LakeProcedure(
      RollbackProcedures.Undo,
      "Takes back one commit whose tables nobody has changed since, as a new snapshot",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    ProcedureParameter.in("snapshot", LongType).build()
  )

  override def result(arguments: InternalRow): LocalResult = {
    val callArguments = new Arguments(name(), arguments)
    val snapshot = callArguments.long(0).getOrElse(callArguments.fail("snapshot", "is NULL"))
    RollbackToSnapshot.result(new Rollback(session).undo(SnapshotId(snapshot)))
  }
}
