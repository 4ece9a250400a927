package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.SnapshotId
import ducklake.spark.maintenance.rollback.Rollback
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType

/** Makes a table what it was at a past snapshot. */
final class RollbackToSnapshot(session: SessionLake)
    extends LakeProcedure(
      Rollback.Procedure,
      "Makes a table what it was at a past snapshot, as a new snapshot",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.required("table_name"),
    Arguments.optional("snapshot_version", LongType),
    Arguments.optional("snapshot_time", TimestampType),
    Arguments.optional("schema"),
  )

  override def result(arguments: InternalRow): LocalResult = {
    val callArguments = new Arguments(name(), arguments)
    val table = callArguments.table(0, 3)
    val done = new Rollback(session)
      .table(past(callArguments), table.find)
      .getOrElse(throw new NoSuchTableException(table.identifier))
    new LocalResult(
      RollbackToSnapshot.schema,
      () => Vector(Vector(done.schema, done.table, done.snapshot.value)),
    )
  }

  private def past(arguments: Arguments): LakeSnapshot =
    (arguments.long(1), arguments.instant(2)) match {
      case (Some(version), None) => session.lake.at(SnapshotId(version))
      case (None, Some(time)) => session.lake.atOrBefore(time)
      case (Some(_), Some(_)) =>
        arguments.fail("snapshot_version", "is given together with `snapshot_time`")
      case (None, None) =>
        arguments.fail("snapshot_version", "is NULL, and so is `snapshot_time`; give one of them")
    }
}

private object RollbackToSnapshot {

  val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("snapshot_id", LongType)
}
