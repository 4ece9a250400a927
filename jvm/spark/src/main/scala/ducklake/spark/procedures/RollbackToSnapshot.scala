package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.spark.maintenance.rollback.Rollback
import ducklake.spark.maintenance.rollback.RollbackProcedures
import ducklake.spark.maintenance.rollback.RolledBackTable
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import ducklake.spark.session.VersionText
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType

/** Restores a table or the whole lake to a past snapshot. */
final class RollbackToSnapshot(session: SessionLake)
    extends LakeProcedure(
      RollbackProcedures.ToSnapshot,
      "Makes a table, or without one the whole lake, what it was at a past snapshot, as a new snapshot",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.optional("table_name"),
    Arguments.optional("snapshot_version"),
    Arguments.optional("snapshot_time", TimestampType),
    Arguments.optional("schema"),
  )

  override def result(arguments: InternalRow): LocalResult = {
    val callArguments = new Arguments(name(), arguments)
    val rollback = new Rollback(session)
    RollbackToSnapshot.result(callArguments.text(0) match {
      case Some(_) => Vector(table(rollback, callArguments))
      case None if callArguments.text(3).isEmpty => rollback.wholeLake(past(callArguments))
      case None => callArguments.fail("schema", "is given without `table_name`")
    })
  }

  private def table(rollback: Rollback, arguments: Arguments): RolledBackTable = {
    val table = arguments.table(0, 3)
    rollback
      .table(past(arguments), table.find)
      .getOrElse(throw table.missing(session.name))
  }

  private def past(arguments: Arguments): LakeSnapshot =
    (arguments.text(1), arguments.instant(2)) match {
      case (Some(version), None) =>
        VersionText
          .snapshot(session.lake, version)
          .getOrElse(arguments.fail("snapshot_version", VersionText.unknown(version)))
      case (None, Some(time)) => session.lake.atOrBefore(time)
      case (Some(_), Some(_)) =>
        arguments.fail("snapshot_version", "is given together with `snapshot_time`")
      case (None, None) =>
        arguments.fail("snapshot_version", "is NULL, and so is `snapshot_time`; give one of them")
    }
}

object RollbackToSnapshot {

  /** A row for each table that changed. */
  private[procedures] def result(tables: Vector[RolledBackTable]): LocalResult =
    new LocalResult(
      schema,
      () => tables.map(done => Vector(done.schema, done.table, done.snapshot.value)),
    )

  private val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("snapshot_id", LongType)
}
