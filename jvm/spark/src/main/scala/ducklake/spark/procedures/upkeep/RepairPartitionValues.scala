package ducklake.spark.procedures.upkeep

import ducklake.spark.maintenance.PartitionRepair
import ducklake.spark.metadata.LocalResult
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.ChosenTables
import ducklake.spark.procedures.MaintenanceProcedure
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Repairs the partition values of a table, of the tables of a schema, or of all tables.
  *
  * Source: ours, decision 22.
  */
final class RepairPartitionValues(session: SessionLake)
    extends MaintenanceProcedure(
      session,
      PartitionRepair.Name,
      "Gives files the partition values that their statistics prove, in place of wrong ones",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    Array(
      Arguments.optional("table_name"),
      Arguments.optional("schema"),
      Arguments.flag("dry_run"),
    )

  override def result(call: MaintenanceCall, row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val repair = new PartitionRepair(call)
    val isTrial = arguments.isTrue(2)
    val base = if (isTrial) Some(session.base()) else session.prepareToWriteIfAny()
    val found = base.toVector.flatMap { snapshot =>
      val tables = ChosenTables.of(session.name, snapshot, arguments, 0, 1)
      if (isTrial) repair.planned(snapshot, tables) else repair.run(tables)
    }
    val rows = found.map { one =>
      Vector[Any](
        one.schema,
        one.table,
        one.key,
        one.repaired,
        one.unproven,
        one.snapshot.map(_.value),
      )
    }
    new LocalResult(RepairPartitionValues.schema, () => rows)
  }
}

object RepairPartitionValues {
  val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("partition_key", StringType)
    .add("files_repaired", LongType)
    .add("files_left", LongType)
    .add("snapshot_id", LongType)
}
