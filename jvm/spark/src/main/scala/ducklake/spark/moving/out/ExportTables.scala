package ducklake.spark.moving.out

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.moving.MoveLine

/** Exports the tables of a call. All are planned before one is written. */
private[out] object ExportTables {

  /** What the call has done, or would do.
    *
    * @param procedure its name, for messages
    *
    * Errors: Unsupported when something stands in the way of a table, and those of `plan`: nothing
    * was written; those of [[PlannedExport.write]]: the tables before are written.
    */
  def run(procedure: String, tables: ExportedTables, isTrial: Boolean)(
      plan: ExportRequest => PlannedExport
  ): Vector[MoveLine] =
    tables match {
      case ExportedTables.Named(request) =>
        val planned = plan(request)
        if (isTrial) ExportReport.planned(planned)
        else {
          refuse(procedure, planned.exported.name, request.folder, planned.refused)
          ExportReport.done(planned.exported, planned.write())
        }
      case ExportedTables.AllOf(schema, folder, requests) =>
        val planned = requests.map(plan)
        if (isTrial) planned.flatMap(SchemaExportReport.planned)
        else {
          val reasons = planned.flatMap(SchemaExportReport.reasons)
          refuse(procedure, s"the schema $schema", folder, reasons)
          planned.map(each => SchemaExportReport.done(each.exported, each.write()))
        }
    }

  private def refuse(
      procedure: String,
      what: String,
      folder: String,
      reasons: Vector[String],
  ): Unit =
    if (reasons.nonEmpty)
      SparkErrors.raise(
        LakeError.Unsupported(
          s"Showing $what at `$folder` by $procedure (${reasons.mkString("; ")})",
          "No version was written. The call with dry_run => true lists everything.",
        )
      )
}
