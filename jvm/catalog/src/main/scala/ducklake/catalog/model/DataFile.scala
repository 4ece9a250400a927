package ducklake.catalog.model

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId

/** A live data file with all that a reader needs.
  *
  * @param path full resolved path in DuckDB's spelling
  * @param footerSize 0 when the catalog does not record it
  * @param recordCount rows in the file, deleted ones included
  * @param firstRowId row id of the first row, unless the file embeds row ids
  * @param begin the snapshot that added the file; for a file with rows of several snapshots, the
  *   smallest snapshot
  * @param last the largest snapshot of the rows; a file that DuckDB 2.0 merged has the columns of
  *   this snapshot, possibly more than at `begin`
  * @param visibility which rows are visible at the snapshot that is read
  * @param constants values of columns that a registered file takes from its path, by column id
  * @param partition the partition spec of the file, and the stored text of each value by key index
  *   (None inside: NULL). It does not prove the values of the rows, see `predicate/ProvenValue`
  * @param deleteFiles a position in any of them is deleted. There are several only when two DuckDBs
  *   deleted from the file at the same time (format 4.6), and in old snapshots after a flush
  *   (format 13.1). Ordered by id.
  * @param inlinedDeletes positions that the catalog itself marks as deleted, strictly increasing
  *
  * Source: spec 1.0, ducklake_data_file.
  */
final case class DataFile(
    id: DataFileId,
    path: String,
    sizeBytes: Long,
    footerSize: Long,
    recordCount: Long,
    firstRowId: FirstRowId,
    begin: SnapshotId,
    last: SnapshotId,
    visibility: RowVisibility,
    mapping: Option[MappingId],
    constants: Map[ColumnId, Literal],
    partition: Option[FilePartition],
    encryption: FileEncryption,
    deleteFiles: Vector[DeleteFile],
    inlinedDeletes: IndexedSeq[Long],
) {
  def rowIdStart: Option[Long] = firstRowId.option

  /** Whether the statistics can prove what all rows of the file are. Those of a registered file come
    * from the footer of another writer. They are good for leaving files out, as DuckDB does, and not
    * for answers and deletes that read no row (decision 35).
    */
  def provesRows: Boolean = mapping.isEmpty

  def hasDeletes: Boolean = deleteFiles.nonEmpty || inlinedDeletes.nonEmpty

  /** The recorded number of deletes. A row that several delete files name counts several times. */
  def deleteCount: Long = deleteFiles.iterator.map(_.deleteCount).sum + inlinedDeletes.size

  /** The snapshots that added rows of the file. */
  def snapshots: SnapshotRange = SnapshotRange(begin, last)

  /** The same file with only the rows that these snapshots added; None when they added none of its
    * visible rows.
    */
  def addedIn(range: SnapshotRange): Option[DataFile] = {
    val added = snapshots.intersect(range)
    if (added.isEmpty) None
    else if (added == snapshots) Some(this)
    else visibility.within(added).map(rows => copy(visibility = rows))
  }
}

/** Row id of the first row of a file; a negative number stands for none. A plan holds one for each
  * listed file, and an `Option` of a number would take 40 bytes more.
  */
final class FirstRowId private (private val value: Long) extends AnyVal {
  def option: Option[Long] = Option.when(value >= 0)(value)
}

object FirstRowId {

  /** Row ids count from 0. */
  def of(found: Option[Long]): FirstRowId = new FirstRowId(found.getOrElse(-1L))
}

final case class FilePartition(id: PartitionId, values: Map[Int, Option[String]])

/** The visible rows of a file with rows of several snapshots. */
sealed trait RowVisibility {

  /** Those that these snapshots added, in a file with rows of more snapshots. */
  private[model] def within(added: SnapshotRange): Option[RowVisibility]
}

object RowVisibility {

  /** Rows whose embedded snapshot id is at most `snapshot`. */
  def upTo(snapshot: SnapshotId): RowVisibility =
    Embedded(SnapshotRange(SnapshotId(0), snapshot))

  /** All rows. The snapshot of a row is the snapshot id embedded in the file, else the begin
    * snapshot of the file.
    */
  case object All extends RowVisibility {
    private[model] def within(added: SnapshotRange): Option[RowVisibility] = Some(Embedded(added))
  }

  /** Rows whose embedded snapshot id is one of these. */
  final case class Embedded(snapshots: SnapshotRange) extends RowVisibility {
    private[model] def within(added: SnapshotRange): Option[RowVisibility] =
      Some(snapshots.intersect(added)).filter(_.nonEmpty).map(Embedded(_))
  }

  /** Catalogs up to 0.3: the file consists of runs of rows, one for each snapshot. The rows at the
    * positions from `start` to before `end` are visible.
    *
    * @param runs snapshot of each run, and the number of rows up to the end of the run, in file
    *   order
    */
  final case class Runs(start: Long, end: Long, runs: Vector[(SnapshotId, Long)])
      extends RowVisibility {

    private[model] def within(added: SnapshotRange): Option[RowVisibility] = {
      def upTo(isBefore: SnapshotId => Boolean): Long =
        runs.takeWhile { case (id, _) => isBefore(id) }.lastOption.fold(0L)(_._2)
      val first = start.max(upTo(_.value < added.first.value))
      val after = end.min(upTo(_.value <= added.last.value))
      Option.when(first < after)(copy(start = first, end = after))
    }
  }
}

/** A delete file of one data file.
  *
  * @param deleteCount rows in the delete file, of all snapshots
  */
final case class DeleteFile(
    id: DeleteFileId,
    path: String,
    format: DeleteFormat,
    deleteCount: Long,
    sizeBytes: Long,
    footerSize: Option[Long],
    begin: SnapshotId,
    encryption: FileEncryption,
)

sealed trait DeleteFormat

object DeleteFormat {

  /** Columns `file_path`, `pos` and, in some files, the snapshot of each delete. */
  case object ParquetPositions extends DeleteFormat

  /** One deletion vector, or a Puffin container with one for each snapshot that deleted rows. */
  case object PuffinVector extends DeleteFormat
}
