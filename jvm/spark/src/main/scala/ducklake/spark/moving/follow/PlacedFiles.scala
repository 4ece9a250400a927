package ducklake.spark.moving.follow

import ducklake.catalog.model.DataFile
import ducklake.files.path.FileNames
import ducklake.spark.moving.SourceFile

/** The data files of a table by the files of its source: the same files, or files that were written
  * in their place, whose names tell it.
  */
private[follow] final class PlacedFiles(files: Vector[DataFile]) {

  private val byPath = files.map(file => file.path -> file).toMap
  private val byBeginning = files.map { file =>
    FileNames.beginningOf(file.path.drop(file.path.lastIndexOf('/') + 1)) -> file
  }.toMap

  /** The table's file with the rows of a file of the source. */
  def of(file: SourceFile): Option[DataFile] =
    byPath
      .get(file.stored)
      .orElse(byBeginning.get(FileNames.beginningInPlaceOf(file.stored)))

  /** The table's files with rows of none of these. */
  def without(source: Vector[SourceFile]): Vector[DataFile] = {
    val known = source.flatMap(of(_)).map(_.id).toSet
    files.filterNot(file => known(file.id))
  }
}
