package ducklake.spark.procedures.upkeep

import ducklake.spark.maintenance.StatisticsRecomputation
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

/** Recomputes the statistics of a table, of the tables of a schema, or of all tables.
  *
  * Source: ours, decision 26.
  */
final class RecomputeStatistics(session: SessionLake)
    extends MaintenanceProcedure(
      session,
      RecomputeStatistics.Name,
      "Computes the statistics of tables from those of their files and from inlined rows",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    Array(Arguments.optional("table_name"), Arguments.optional("schema"))

  override def result(call: MaintenanceCall, row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val changed = session.prepareToWriteIfAny().toVector.flatMap { base =>
      val tables = ChosenTables.of(session.name, base, arguments, 0, 1)
      new StatisticsRecomputation(call).run(tables)
    }
    new LocalResult(
      RecomputeStatistics.schema,
      () => changed.map(one => Vector(one.schema, one.table, one.snapshot.value)),
    )
  }
}

object RecomputeStatistics {
  val Name = "recompute_statistics"

  val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("snapshot_id", LongType)
}
