package ducklake.spark.maintenance.compact

import ducklake.catalog.change.plan.FileGroup
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.types.ColumnId

/** The partition values of a compacted file. Files are grouped by the stored values, which may be
  * wrong; the new file gets the values of its rows.
  */
private[compact] object CompactedPartition {

  /** The group and its new file with true partition values. They have no partition values when the
    * stored values are wrong and no other values are proven.
    */
  def corrected(table: LakeTable, done: CompactionCommit.Done): CompactionCommit.Done = {
    val (group, written) = done
    val partition =
      written.fold(group.partition)(one => partitionOf(table, group, one.file.statistics))
    if (partition == group.partition) done
    else
      (
        group.copy(partition = partition),
        written.map { one =>
          one.copy(file = one.file.copy(partition = partition.map(inOrder)))
        },
      )
  }

  /** The values of a file in the order of its keys. */
  def inOrder(partition: FilePartition): Vector[Option[String]] =
    partition.values.toVector.sortBy(_._1).map(_._2)

  /** Values of a spec with a bucket key are kept: DuckDB does not find rows of a file without a
    * bucket. Values of an older spec are also kept, because the table no longer has its keys.
    */
  private def partitionOf(
      table: LakeTable,
      group: FileGroup,
      statistics: Map[ColumnId, ColumnStatistics],
  ): Option[FilePartition] =
    group.partition.flatMap { stored =>
      table.partition.filter(_.id == stored.id).filterNot(_.hasBuckets) match {
        case None => Some(stored)
        case Some(spec) =>
          val types = LeafColumns.of(group.columns)
          val values = for {
            key <- spec.keys
            text <- stored.values.get(key.index)
            lakeType <- types.get(key.column)
            known = statistics.get(key.column)
            value <- ProvenValue.credible(key.transform, lakeType, known, text)
          } yield key.index -> value
          Option.when(values.size == spec.keys.size)(stored.copy(values = values.toMap))
      }
    }
}
