package ducklake.spark.moving.out

import ducklake.catalog.model.DataFile

/** What the export of a table will do. Nothing is written before [[write]]. */
private[out] trait PlannedExport {

  def exported: ExportedTable

  /** The next version of the exported table. */
  def version: Long

  /** What not all readers know. */
  def notes: Vector[String]

  /** What stands in the way. */
  def refused: Vector[String]

  /** Writes the version when it differs from the last one.
    *
    * Errors: UnreadableFile, UnwritableFile. The last version stays the newest then.
    */
  def write(): ShownVersion
}

/** The version of an exported table that shows the snapshot. */
private[out] sealed trait ShownVersion

private[out] object ShownVersion {

  /** @param removed the number of files
    * @param deletes the number of data files with deletes
    * @param kept the name of the snapshot
    */
  final case class Written(
      version: Long,
      added: Vector[DataFile],
      removed: Int,
      deletes: Int,
      kept: String,
  ) extends ShownVersion

  /** The last version shows the snapshot already.
    *
    * @param kept the name of its snapshot
    */
  final case class Unchanged(version: Long, kept: String) extends ShownVersion
}
