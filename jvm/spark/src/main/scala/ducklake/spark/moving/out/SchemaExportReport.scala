package ducklake.spark.moving.out

import ducklake.spark.moving.MoveLine

/** What the export of a schema does: a line for each table, and those about what it needs. */
private[out] object SchemaExportReport {

  def planned(plan: PlannedExport): Vector[MoveLine] = {
    val files = plan.exported.files
    val bytes = Some(files.map(_.sizeBytes).sum)
    MoveLine("table", Some(plan.exported.name), files.size.toLong, bytes) +:
      (ExportReport.flushed(plan.exported).toVector ++ plan.notes
        .map(note => named("readers need", about(plan, note))) ++
        reasons(plan).map(named("in the way", _)))
  }

  /** What stands in the way of the table, with its name. */
  def reasons(plan: PlannedExport): Vector[String] =
    plan.refused.map(about(plan, _))

  def done(exported: ExportedTable, shown: ShownVersion): MoveLine = shown match {
    case ShownVersion.Written(version, added, _, _, _) =>
      MoveLine("version", Some(exported.name), version, Some(added.map(_.sizeBytes).sum))
    case ShownVersion.Unchanged(version, _) =>
      MoveLine("unchanged version", Some(exported.name), version, None)
  }

  private def about(plan: PlannedExport, text: String): String =
    s"${plan.exported.name}: $text"

  private def named(what: String, detail: String): MoveLine = MoveLine(what, Some(detail), 1L, None)
}
