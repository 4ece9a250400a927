package ducklake.spark.procedures.moving

import ducklake.spark.metadata.LocalResult
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.out.iceberg.IcebergExport
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Shows a snapshot of tables as snapshots of tables of Iceberg. */
final class ExportIceberg(session: SessionLake)
    extends LakeProcedure(
      "export_iceberg",
      "Shows a snapshot of a table, or of all of a schema, to readers of Iceberg, over the same data files",
    ) {

  override def parameters(): Array[ProcedureParameter] = ExportArguments.parameters

  override def result(row: InternalRow): LocalResult = {
    val exports = new ExportArguments(session, new Arguments(name(), row))
    val lines = new IcebergExport(session).run(exports.tables, exports.isTrial)
    new LocalResult(MoveLine.schema, () => lines.map(_.values))
  }
}
