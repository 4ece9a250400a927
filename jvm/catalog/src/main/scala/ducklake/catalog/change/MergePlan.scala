package ducklake.catalog.change

import ducklake.catalog.model.Column
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.TableShape

/** Which files are merged, and into how many.
  *
  * @param targetBytes a group of files ends when it has so many bytes; larger files are left alone
  * @param leastBytes smaller files are left alone
  * @param belowBytes files that are not smaller are left alone
  * @param mostGroups the largest number of groups
  */
final case class MergeLimits(
    targetBytes: Long,
    leastBytes: Long,
    belowBytes: Long,
    mostGroups: Long,
) {
  def admit(sizeBytes: Long): Boolean =
    sizeBytes >= leastBytes && sizeBytes < belowBytes && sizeBytes < targetBytes
}

/** Files that become one file.
  *
  * @param columns the columns that the table had when the rows were added
  * @param files at least two, in the order of their rows in the new file
  */
final case class MergeGroup(
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
}

/** Groups of adjacent files. Source: DuckDB 1.5.5, merge_adjacent_files, observed,
  * e2e/test_merge_files; ours, decision 0033.
  */
object MergePlan {

  /** @param files live files without deletes
    * @param shapes of the table, oldest first
    * @return the groups, ordered by their first file
    */
  def of(
      files: Vector[DataFile],
      shapes: Vector[TableShape],
      limits: MergeLimits,
  ): Vector[MergeGroup] = {
    val ordered = files.filter(file => limits.admit(file.sizeBytes)).sortBy(order)
    val alike = ordered.groupBy(file => (shapeOf(file, shapes), file.partition))
    val groups = alike.toVector.flatMap { case ((shape, partition), members) =>
      cut(members, limits.targetBytes)
        .filter(_.sizeIs > 1)
        .map(MergeGroup(shape.columns, partition, _))
    }
    val wanted = math.min(limits.mostGroups, groups.size.toLong).toInt
    groups.sortBy(group => order(group.files.head)).take(wanted)
  }

  private def order(file: DataFile): (Long, Long, Long) =
    (file.begin.value, file.rowIdStart.getOrElse(Long.MaxValue), file.id.value)

  private def shapeOf(file: DataFile, shapes: Vector[TableShape]): TableShape =
    shapes.takeWhile(_.begin.value <= file.begin.value).lastOption.getOrElse(shapes.head)

  /** Cuts the files into runs that reach the target; the last run may not. */
  private def cut(files: Vector[DataFile], targetBytes: Long): Vector[Vector[DataFile]] = {
    val (runs, rest, _) =
      files.foldLeft((Vector.empty[Vector[DataFile]], Vector.empty[DataFile], 0L)) {
        case ((runs, open, bytes), file) =>
          val (more, sum) = (open :+ file, bytes + file.sizeBytes)
          if (sum >= targetBytes) (runs :+ more, Vector.empty, 0L) else (runs, more, sum)
      }
    if (rest.isEmpty) runs else runs :+ rest
  }
}
