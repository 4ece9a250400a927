package ducklake.spark.maintenance.rows

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SortKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.MappingId
import ducklake.files.delete.CompressedPositions
import ducklake.files.delete.DeletedPositions
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.spark.config.WriteConfig
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.hadoop.conf.Configuration

/** The values that all tasks of a compaction share.
  *
  * @param table the table's name, for messages
  * @param directory the table's folder as Hadoop opens it, ending in a separator
  * @param snapshot the snapshot whose files are read
  * @param lastDelete rows that were deleted after this snapshot are written:
  *   `DeleteFileCache.EverySnapshot` when the new files are read in place of live delete files,
  *   the snapshot itself when its rows come back
  * @param keepsSnapshots whether new files embed the snapshot of each row
  * @param refusal the refusal of values that Spark cannot carry
  */
private[spark] final case class CompactionSpec(
    table: String,
    directory: String,
    snapshot: Long,
    lastDelete: Long,
    mappings: Map[MappingId, NameMapping],
    rule: TimeRule,
    config: WriteConfig,
    layout: BatchLayout,
    keepsSnapshots: Boolean,
    refusal: LossRefusal,
)

/** @param action the beginning of the message, such as "Compacting"
  * @param hint what the user can do
  */
private[spark] final case class LossRefusal(action: String, hint: String)

private[spark] object LossRefusal {
  val ofCompaction: LossRefusal =
    LossRefusal("Compacting", "Compact the files of this table with DuckDB.")
}

/** The input of a task, which writes one file.
  *
  * @param number of the group in its step
  * @param folder of the new file below the table's folder, ending in a separator unless it is empty
  * @param names of the new file
  * @param firstRowId the first row id, when the row ids are consecutive unless a file embeds them
  * @param sort the sort order of the new file, each key with the index of its column
  * @param areNew whether the rows get their row ids from the commit, so that the file has none
  * @param chosen by data file id, the positions of the rows that are written; all live rows of
  *   other files
  */
private[spark] final case class CompactionInput(
    number: Int,
    parts: Vector[FilePart],
    columns: Vector[Column],
    folder: String,
    names: AttemptNames,
    partition: Option[Vector[Option[String]]],
    firstRowId: Option[Long],
    sort: Vector[(Int, SortKey)],
    areNew: Boolean = false,
    chosen: Map[Long, CompressedPositions] = Map.empty,
) {

  /** The positions of the rows that are not written.
    *
    * @param last the last snapshot whose deletes count
    *
    * Errors: UnreadableFile.
    */
  def deletes(part: FilePart, last: Long, conf: Configuration): DeletedPositions =
    chosen.get(part.id) match {
      case Some(rows) => rows.positions.others(part.recordCount)
      case None => FileBatches.deletedPositions(part, last, conf)
    }

  /** The paths that the driver has chosen, below the table's folder. */
  def paths: Vector[String] = names.known.map(folder + _)

  def path(attempt: Int): String = folder + names.of(attempt)(FileNames.dataFile())
}

/** The new file of a group. A group whose rows are all deleted has no new file.
  *
  * @param rowIdStart None when the file embeds row ids
  * @param span first and last snapshot of its rows, when the file embeds them
  */
final case class CompactedFile(
    file: NewDataFile,
    rowIdStart: Option[Long],
    span: Option[SnapshotRange],
)

/** The result of a task for its group. */
private[spark] final case class CompactionOutput(number: Int, written: Option[CompactedFile])

/** Why a group has no new file. Its own files are deleted. */
private[spark] final case class CompactionFailure(number: Int, error: LakeError)
