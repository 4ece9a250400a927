package ducklake.spark.maintenance.compact

import ducklake.catalog.model.Column
import ducklake.catalog.model.MappingId
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.SortKey
import ducklake.files.AttemptNames
import ducklake.files.FileNames
import ducklake.spark.config.WriteConfig
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.types.SparkTypes.TimeRule

/** What all tasks of a compaction share.
  *
  * @param table the table's name, for messages
  * @param directory the table's folder as Hadoop opens it, ending in a separator
  * @param snapshot the snapshot whose files are replaced
  * @param keepsSnapshots whether new files embed the snapshot of each row
  */
private[compact] final case class CompactionSpec(
    table: String,
    directory: String,
    snapshot: Long,
    mappings: Map[MappingId, NameMapping],
    rule: TimeRule,
    config: WriteConfig,
    layout: BatchLayout,
    keepsSnapshots: Boolean,
)

/** What a task writes into one file.
  *
  * @param number of the group in its step
  * @param folder of the new file below the table's folder, ending in a separator unless it is empty
  * @param names of the new file
  * @param firstRowId the first row id, when the row ids are consecutive unless a file embeds them
  * @param sort the sort order of the new file, each key with the index of its column
  */
private[compact] final case class CompactionInput(
    number: Int,
    parts: Vector[FilePart],
    columns: Vector[Column],
    folder: String,
    names: AttemptNames,
    partition: Option[Vector[Option[String]]],
    firstRowId: Option[Long],
    sort: Vector[(Int, SortKey)],
) {

  /** The paths that the driver knows, below the table's folder. */
  def paths: Vector[String] = names.known.map(folder + _)

  def path(attempt: Int): String = folder + names.of(attempt)(FileNames.dataFile())
}

/** What a task has written for its group. */
private[compact] final case class CompactionOutput(number: Int, written: Option[CompactedFile])
