package ducklake.spark.maintenance.add

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.registration.Refusal
import ducklake.catalog.types.ColumnId

/** The results of tasks for some files. A mapping that several files share is stored once.
  *
  * @param refused the first file that cannot be added, if any, by its position in the call
  */
private[spark] final case class FileOutcomes(
    mappings: Vector[Vector[MappedColumn]],
    accepted: Vector[AcceptedFile],
    refused: Option[RefusedFile],
) {

  /** The bytes of each file whose rows have to be written anew. */
  def toRewrite: Vector[Long] = accepted.filter(_.needsRewrite).map(_.physical.sizeBytes)

  def ++(other: FileOutcomes): FileOutcomes = {
    val added = other.mappings.filterNot(mappings.contains)
    val all = mappings ++ added
    val places = other.mappings.map(all.indexOf(_))
    FileOutcomes(
      all,
      accepted ++ other.accepted.map(file => file.copy(mapping = file.mapping.map(places))),
      (refused ++ other.refused).minByOption(_.position),
    )
  }
}

private[spark] object FileOutcomes {
  val none: FileOutcomes = FileOutcomes(Vector.empty, Vector.empty, None)
}

/** @param position of the file in the call
  * @param mapping a position in the mappings; None for a file whose field ids are those of the table
  * @param needsRewrite whether DuckDB would read other values than the file's own engine, so that
  *   the rows must be written to a new file
  * @param isOld whether it has, or may have, dates of the old calendar
  */
private[spark] final case class AcceptedFile(
    position: Int,
    mapping: Option[Int],
    recordCount: Long,
    physical: PhysicalFile,
    partition: Option[Vector[Option[String]]],
    statistics: Map[ColumnId, ColumnStatistics],
    needsRewrite: Boolean = false,
    isOld: Boolean = false,
)

private[spark] final case class RefusedFile(position: Int, path: String, refusal: Refusal)
