package ducklake.spark.changes.task

import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.FileKey
import ducklake.files.delete.StoredDeletes
import ducklake.spark.changes.ChangeSide
import ducklake.spark.changes.FeedColumn
import ducklake.spark.changes.SharedRowIds
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.vector.RowPage
import org.apache.spark.sql.connector.read.InputPartition

/** The input of one Spark task of a change feed. */
private[changes] sealed trait FeedTask extends InputPartition

/** Parts of files, read one after another. */
private[changes] final case class FilesFeedTask(parts: Vector[ChangedPart]) extends FeedTask

/** Inlined rows of one side.
  *
  * @param rows the columns of [[FeedSpec.read]], then the row id and the snapshot that changed the
  *   row
  */
private[changes] final case class InlinedFeedTask(
    rows: RowPage,
    side: ChangeSide,
    partners: Partners,
) extends FeedTask

/** A part of a changed file, and the sides on which the range changed it. */
private[changes] final case class ChangedPart(file: ChangedFile, sides: Vector[ChangedSide])

/** One side of a changed file.
  *
  * @param partners where the other images of updated rows may be
  */
private[changes] final case class ChangedSide(side: ChangeSide, partners: Partners)

/** A part of a data file with the history of its rows.
  *
  * @param part the part; it has no deletes
  * @param begin how the begin of a row is found
  * @param fileEnd the snapshot that ended the file; `Long.MaxValue` when no snapshot of the range
  *   ended it
  * @param inlined positions with inlined deletes
  * @param inlinedSnapshots the snapshot that deleted each of these positions
  */
private[changes] final case class ChangedFile(
    part: FilePart,
    begin: RowBegin,
    fileEnd: Long,
    deleteFiles: Vector[DatedDeletes],
    inlined: Array[Long],
    inlinedSnapshots: Array[Long],
) {

  /** The file with these keys. */
  def under(keys: FeedKeys): ChangedFile =
    if (keys == FeedKeys.none) this
    else
      copy(
        part = part.copy(key = keys.data),
        deleteFiles = deleteFiles.zip(keys.deletes).map { case (dated, key) =>
          dated.copy(file = dated.file.copy(key = key))
        },
      )

  def withoutKeys: ChangedFile =
    if (part.key.isEmpty) this else under(FeedKeys(None, deleteFiles.map(_ => None)))
}

/** The keys of an encrypted data file and of its delete files. They travel with the tasks that need
  * them, because Spark may store on disk the values that all tasks share.
  */
private[changes] final case class FeedKeys(data: Option[FileKey], deletes: Vector[Option[FileKey]])

private[changes] object FeedKeys {
  val none: FeedKeys = FeedKeys(None, Vector.empty)

  def of(changes: DataFileChanges): FeedKeys =
    changes.file.encryption.known.fold(none) { key =>
      FeedKeys(Some(key), changes.deleteFiles.map(_.file.encryption.known))
    }
}

/** A delete file.
  *
  * @param begin the snapshot of positions without their own snapshot
  */
private[changes] final case class DatedDeletes(file: StoredDeletes, begin: Long)

/** The places of the other images of updated rows.
  *
  * @param files indexes in [[FeedSpec.partners]]
  * @param keys of each of these files
  * @param hasInlined whether inlined rows are among them
  * @param first the first snapshot that changed the rows whose images these are
  * @param last the last of these snapshots
  */
private[changes] final case class Partners(
    files: Array[Int],
    keys: Vector[FeedKeys],
    hasInlined: Boolean,
    first: Long,
    last: Long,
) {
  def isEmpty: Boolean = files.isEmpty && !hasInlined
}

private[changes] object Partners {
  val none: Partners =
    Partners(Array.emptyIntArray, Vector.empty, hasInlined = false, first = 0L, last = -1L)
}

/** The values that all tasks of a feed share.
  *
  * @param id differs for each scan
  * @param columns the columns of each batch, in order
  * @param read the table's columns among them, in the same order, and the filters
  * @param partners files in which other images of updated rows may be, without their keys
  * @param inlinedRowIds row ids of the inlined rows that may be partners, for each side
  * @param times the time of each snapshot in microseconds, when it is a column
  * @param table the table's name for messages
  */
private[changes] final case class FeedSpec(
    id: String,
    columns: Vector[FeedColumn],
    read: ReadSpec,
    range: FeedRange,
    partners: Vector[ChangedFile],
    inlinedRowIds: Map[ChangeSide, RowIdsBySnapshot],
    times: Map[Long, Long],
    sharedRowIds: SharedRowIds,
    table: String,
)
