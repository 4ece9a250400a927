package ducklake.catalog.change

import ducklake.catalog.model.Column
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.TableShape

/** Files that become one file.
  *
  * @param columns the columns that the table had when the rows were added
  * @param files at least one, in the order of their rows in the new file
  */
final case class FileGroup(
    columns: Vector[Column],
    partition: Option[FilePartition],
    files: Vector[DataFile],
) {

  /** The row id of the first row, when the row ids that the catalog gives are consecutive. They
    * count only when no file embeds row ids.
    */
  def firstRowId: Option[Long] = {
    val follows = files.zip(files.drop(1)).forall { case (file, next) =>
      file.rowIdStart.exists(start => next.rowIdStart.contains(start + file.recordCount))
    }
    if (follows) files.head.rowIdStart else None
  }

  /** Cuts the group into runs that reach the target; the last run may not.
    *
    * @param bytes of a file in the new file
    */
  def cut(targetBytes: Long)(bytes: DataFile => Long): Vector[FileGroup] = {
    val (runs, rest, _) =
      files.foldLeft((Vector.empty[Vector[DataFile]], Vector.empty[DataFile], 0L)) {
        case ((runs, open, size), file) =>
          val (more, sum) = (open :+ file, size + bytes(file))
          if (sum >= targetBytes) (runs :+ more, Vector.empty, 0L) else (runs, more, sum)
      }
    (if (rest.isEmpty) runs else runs :+ rest).map(run => copy(files = run))
  }
}

/** Source: DuckDB 1.5.5, merge_adjacent_files and rewrite_data_files, observed,
  * e2e/test_merge_files, e2e/test_rewrite_files.
  */
private[change] object FileGroup {

  /** The files of each partition that were begun under one shape of the table, in the order in which
    * they were added.
    *
    * @param shapes of the table, oldest first
    */
  def alike(files: Vector[DataFile], shapes: Vector[TableShape]): Vector[FileGroup] =
    files
      .sortBy(order)
      .groupBy(file => (shapeOf(file, shapes), file.partition))
      .toVector
      .map { case ((shape, partition), members) => FileGroup(shape.columns, partition, members) }

  /** Orders groups by their first file. */
  def ordered(groups: Vector[FileGroup]): Vector[FileGroup] =
    groups.sortBy(group => order(group.files.head))

  private def order(file: DataFile): (Long, Long, Long) =
    (file.begin.value, file.rowIdStart.getOrElse(Long.MaxValue), file.id.value)

  private def shapeOf(file: DataFile, shapes: Vector[TableShape]): TableShape =
    shapes.takeWhile(_.begin.value <= file.begin.value).lastOption.getOrElse(shapes.head)
}
