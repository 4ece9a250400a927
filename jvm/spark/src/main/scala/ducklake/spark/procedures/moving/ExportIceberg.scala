package ducklake.spark.procedures.moving

import ducklake.spark.metadata.LocalResult
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.out.iceberg.IcebergExport
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Shows a snapshot of a table as a snapshot of a table of Iceberg. */
final class ExportIceberg(session: SessionLake)
    extends LakeProcedure(
      "export_iceberg",
      "Shows a snapshot of a table to readers of Iceberg, over the same data files",
    ) {

  override def parameters(): Array[ProcedureParameter] = ExportArguments.parameters

  override def result(row: InternalRow): LocalResult = {
    val request = new ExportArguments(session, new Arguments(name(), row)).request
    val lines = new IcebergExport(session).run(request)
    new LocalResult(MoveLine.schema, () => lines.map(_.values))
  }
}
