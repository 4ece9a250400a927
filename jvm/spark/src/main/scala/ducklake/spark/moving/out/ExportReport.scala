package ducklake.spark.moving.out

import ducklake.catalog.model.DataFile
import ducklake.spark.moving.MoveLine

/** What the export of a table does, in lines. */
private[out] object ExportReport {

  def planned(plan: PlannedExport): Vector[MoveLine] =
    Vector(
      snapshot(plan.exported),
      MoveLine("version", None, plan.version, None),
      files("data files", plan.exported.files),
    ) ++
      Some(plan.exported.files.filter(_.hasDeletes))
        .filter(_.nonEmpty)
        .map(files("data files with deletes", _)) ++
      flushed(plan.exported) ++
      plan.notes.map(named("readers need", _)) ++ plan.refused.map(named("in the way", _))

  /** The rows that the call will flush before it exports. */
  def flushed(exported: ExportedTable): Option[MoveLine] =
    Option.when(exported.toFlush > 0)(
      MoveLine("rows to flush", Some(exported.name), exported.toFlush, None)
    )

  def done(exported: ExportedTable, shown: ShownVersion): Vector[MoveLine] =
    snapshot(exported) +: (shown match {
      case ShownVersion.Written(version, added, removed, deletes, kept) =>
        Vector(
          MoveLine("version", None, version, None),
          files("files added", added),
          MoveLine("files removed", None, removed.toLong, None),
          MoveLine("data files with deletes", None, deletes.toLong, None),
          named("kept as", kept),
        )
      case ShownVersion.Unchanged(version, kept) =>
        Vector(MoveLine("unchanged version", None, version, None), named("kept as", kept))
    })

  private def snapshot(exported: ExportedTable): MoveLine =
    MoveLine("snapshot", Some(exported.name), exported.snapshot.id.value, None)

  private def files(what: String, some: Vector[DataFile]): MoveLine =
    MoveLine(what, None, some.size.toLong, Some(some.map(_.sizeBytes).sum))

  private def named(what: String, detail: String): MoveLine = MoveLine(what, Some(detail), 1L, None)
}
