package ducklake.spark.procedures.moving

import ducklake.spark.metadata.LocalResult
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.out.delta.DeltaExport
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Shows a snapshot of tables as versions of tables of Delta. */
final class ExportDelta(session: SessionLake)
    extends LakeProcedure(
      "export_delta",
      "Shows a snapshot of a table, or of all of a schema, to readers of Delta, over the same data files",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    ExportArguments.parameters :+ Arguments.optional("column_mapping")

  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val byId = arguments.text(ExportArguments.parameters.length).exists { mapping =>
      if (mapping != "id") arguments.fail("column_mapping", s"can only be 'id', not '$mapping'")
      true
    }
    val exports = new ExportArguments(session, arguments)
    val lines = new DeltaExport(session).run(exports.tables, exports.isTrial, byId)
    new LocalResult(MoveLine.schema, () => lines.map(_.values))
  }
}
