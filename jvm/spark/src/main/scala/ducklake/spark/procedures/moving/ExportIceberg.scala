package ducklake.spark.procedures.moving

import ducklake.spark.metadata.LocalResult
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.out.iceberg.IcebergExport
import ducklake.spark.moving.out.iceberg.IcebergFormat
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType

/** Shows a snapshot of tables as snapshots of tables of Iceberg. */
final class ExportIceberg(session: SessionLake)
    extends LakeProcedure(
      "export_iceberg",
      "Shows a snapshot of a table, or of all of a schema, to readers of Iceberg, over the same data files",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    ExportArguments.parameters :+ Arguments.optional("format_version", LongType)

  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val format = arguments.long(ExportArguments.parameters.length).map { number =>
      IcebergFormat
        .of(number)
        .getOrElse(arguments.fail("format_version", s"can only be 2 or 3, not $number"))
    }
    val exports = new ExportArguments(session, arguments)
    val least = format.getOrElse(IcebergFormat.Second)
    val lines = new IcebergExport(session).run(exports.tables, exports.isTrial, least)
    new LocalResult(MoveLine.schema, () => lines.map(_.values))
  }
}
