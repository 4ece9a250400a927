package ducklake.catalog.change.plan

import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.TableShape
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SnapshotId

/** Files that become one file.
  *
  * @param columns the columns of the table that the files may have
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
private[plan] object FileGroup {

  /** The files of each partition that were begun under one shape of the table, in the order in
    * which they were added.
    *
    * @param shapes of the table, oldest first
    */
  def alike(files: Vector[DataFile], shapes: Vector[TableShape]): Vector[FileGroup] =
    files
      .sortBy(order)
      .groupBy { file =>
        val first = shapeAt(file.begin, shapes)
        (first.begin, columns(first, shapeAt(file.last, shapes)), file.partition)
      }
      .toVector
      .map { case ((_, columns, partition), members) => FileGroup(columns, partition, members) }

  /** Orders groups by their first file. */
  def ordered(groups: Vector[FileGroup]): Vector[FileGroup] =
    groups.sortBy(group => order(group.files.head))

  /** The share of deleted rows. At the newest snapshot all deletes in the catalog count. */
  def shareDeleted(file: DataFile): Double =
    if (file.recordCount <= 0) 1.0
    else math.min(1.0, file.deleteCount.toDouble / file.recordCount.toDouble)

  /** The approximate size of a file without its deleted rows, in bytes. */
  def bytesLeft(file: DataFile): Long =
    math.round(file.sizeBytes.toDouble * (1.0 - shareDeleted(file)))

  /** @param shapes of the table, oldest first */
  def hasNewestShape(file: DataFile, shapes: Vector[TableShape]): Boolean =
    shapeAt(file.begin, shapes).begin == shapes.last.begin

  private def order(file: DataFile): (Long, Long, Long) =
    (file.begin.value, file.rowIdStart.getOrElse(Long.MaxValue), file.id.value)

  /** The columns that a file may have. DuckDB 2.0 merges files across changes that only add columns
    * (format 14.11): then a file has the columns of its youngest rows. A file may have even younger
    * columns; all its rows have the initial defaults there, as in a file that lacks them.
    */
  private def columns(first: TableShape, last: TableShape): Vector[Column] =
    if (first.begin == last.begin || leaves(last).subsetOf(leaves(first))) first.columns
    else last.columns

  private def leaves(shape: TableShape): Set[ColumnId] = LeafColumns.of(shape.columns).keySet

  private def shapeAt(snapshot: SnapshotId, shapes: Vector[TableShape]): TableShape =
    shapes.takeWhile(_.begin.value <= snapshot.value).lastOption.getOrElse(shapes.head)
}
