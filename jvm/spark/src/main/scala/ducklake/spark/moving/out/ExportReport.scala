package ducklake.spark.moving.out

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.DataFile
import ducklake.spark.errors.SparkErrors
import ducklake.spark.moving.MoveLine

/** What an export does, in lines. */
private[out] final class ExportReport(exported: ExportedTable, request: ExportRequest) {

  /** @param notes what not all readers know
    * @param refused what stands in the way
    */
  def planned(version: Long, notes: Vector[String], refused: Vector[String]): Vector[MoveLine] =
    Vector(
      snapshot,
      MoveLine("version", None, version, None),
      files("data files", exported.files),
    ) ++
      Some(exported.files.filter(_.hasDeletes))
        .filter(_.nonEmpty)
        .map(files("data files with deletes", _)) ++
      notes.map(named("readers need", _)) ++ refused.map(named("in the way", _))

  /** @param kept the name of the snapshot */
  def done(
      version: Long,
      added: Vector[DataFile],
      removed: Int,
      deletes: Int,
      kept: String,
  ): Vector[MoveLine] =
    Vector(
      snapshot,
      MoveLine("version", None, version, None),
      files("files added", added),
      MoveLine("files removed", None, removed.toLong, None),
      MoveLine("data files with deletes", None, deletes.toLong, None),
      named("kept as", kept),
    )

  /** @param version the version that shows the snapshot already */
  def unchanged(version: Long): Vector[MoveLine] =
    Vector(snapshot, MoveLine("unchanged version", None, version, None))

  /** Errors: Unsupported when something stands in the way. */
  def refuse(procedure: String, reasons: Vector[String]): Unit =
    if (reasons.nonEmpty)
      SparkErrors.raise(
        LakeError.Unsupported(
          s"Showing ${exported.name} at `${request.folder}` by $procedure (${reasons.mkString("; ")})",
          "Nothing was written. The call with dry_run => true lists everything.",
        )
      )

  private def snapshot: MoveLine =
    MoveLine("snapshot", Some(exported.name), exported.snapshot.id.value, None)

  private def files(what: String, some: Vector[DataFile]): MoveLine =
    MoveLine(what, None, some.size.toLong, Some(some.map(_.sizeBytes).sum))

  private def named(what: String, detail: String): MoveLine = MoveLine(what, Some(detail), 1L, None)
}
