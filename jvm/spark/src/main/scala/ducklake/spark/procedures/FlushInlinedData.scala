package ducklake.spark.procedures

import ducklake.spark.maintenance.flush.FlushInlined
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Moves inlined rows and inlined deletes of a table, a schema or the whole lake to files. */
final class FlushInlinedData(session: SessionLake)
    extends MaintenanceProcedure(
      session,
      "flush_inlined_data",
      "Moves rows and deletes that are kept in the catalog into files",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    Array(Arguments.optional("table_name"), Arguments.optional("schema_name"))

  override def result(call: MaintenanceCall, arguments: InternalRow): LocalResult = {
    val callArguments = new Arguments(name(), arguments)
    val flushed = session.prepareToWriteIfAny().toVector.flatMap { base =>
      new FlushInlined(call).flush(ChosenTables.of(session.name, base, callArguments, 0, 1))
    }
    new LocalResult(
      FlushInlinedData.schema,
      () => flushed.filter(_.rows > 0).map(table => Vector(table.schema, table.table, table.rows)),
    )
  }
}

private object FlushInlinedData {

  val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("rows_flushed", LongType)
}
