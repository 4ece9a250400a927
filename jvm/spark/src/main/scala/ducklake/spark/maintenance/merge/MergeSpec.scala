package ducklake.spark.maintenance.merge

import ducklake.catalog.model.Column
import ducklake.catalog.model.MappingId
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SortKey
import ducklake.catalog.change.NewDataFile
import ducklake.spark.config.WriteConfig
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.types.SparkTypes.TimeRule

/** What all tasks of a merge share.
  *
  * @param table the table's name, for messages
  * @param directory the table's folder as Hadoop opens it, ending in a separator
  * @param snapshot the snapshot whose files are merged
  */
private[merge] final case class MergeSpec(
    table: String,
    directory: String,
    snapshot: Long,
    mappings: Map[MappingId, NameMapping],
    rule: TimeRule,
    config: WriteConfig,
    layout: BatchLayout,
)

/** What a task merges into one file.
  *
  * @param number of the group in its step
  * @param folder of the new file below the table's folder, ending in a separator unless it is empty
  * @param firstRowId the first row id, when the row ids are consecutive unless a file embeds them
  * @param sort the sort order of the new file, each key with the index of its column
  */
private[merge] final case class MergeInput(
    number: Int,
    parts: Vector[FilePart],
    columns: Vector[Column],
    folder: String,
    partition: Option[Vector[Option[String]]],
    firstRowId: Option[Long],
    sort: Vector[(Int, SortKey)],
)

/** A file that a task has written.
  *
  * @param rowIdStart None when the file embeds row ids
  * @param span first and last snapshot of its rows
  */
private[merge] final case class MergeOutput(
    number: Int,
    file: NewDataFile,
    rowIdStart: Option[Long],
    span: SnapshotRange,
)
