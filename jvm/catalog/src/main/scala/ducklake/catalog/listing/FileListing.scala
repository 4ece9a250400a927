package ducklake.catalog.listing

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.RowSlice
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.MappingId

import java.time.Instant

/** What a scan requests about a table's files.
  *
  * @param predicates a row matches when all predicates are true; files without matching rows are
  *   left out
  * @param statistics leaf columns whose file statistics are returned
  * @param inlined what is done with inlined rows; None: they are not read
  * @param asksFullMatches whether the answer says which files match with all their rows
  * @param partitionValues whether the stored partition values of the files are read
  * @param slice the rows to which the answer is limited; None: all rows
  * @param enoughRows so many rows are wanted, whichever they are: when there are no predicates and no
  *   slice, files may be left out when those that are listed have so many for certain
  * @param bounds leaf columns whose bounds are returned; of very many files they take less memory than
  *   statistics
  * @param among the files of an earlier listing which of these may still hold matching rows is asked
  *   of, with predicates; other files may be missing in the answer
  */
final case class FileRequest(
    predicates: Vector[Predicate],
    statistics: Set[ColumnId],
    inlined: Option[InlinedRequest],
    asksFullMatches: Boolean = false,
    partitionValues: PartitionValues = PartitionValues.Read,
    slice: Option[RowSlice] = None,
    enoughRows: Option[Long] = None,
    bounds: Set[ColumnId] = Set.empty,
    among: Option[Vector[DataFileId]] = None,
)

object FileRequest {

  /** All files, without statistics and inlined rows. */
  val everyFile: FileRequest = FileRequest(Vector.empty, Set.empty, None)
}

/** Whether a listing has the stored partition values of its files. */
sealed trait PartitionValues

object PartitionValues {
  case object Read extends PartitionValues

  /** The files are listed as files without partition values. */
  case object LeftOut extends PartitionValues
}

/** The files of a table that may hold matching rows at one snapshot. They are read at the same
  * moment as the inlined rows, which go to the receiver of the request. Compactions and flushes
  * move the rows of past snapshots to other files, so two listings of one snapshot may differ.
  * Files and rows of one listing must not be looked up in another.
  *
  * @param files the files that were not pruned, ordered by begin snapshot, then id; or as many of
  *   them as have enough rows
  * @param listedFiles number of files of the table at the snapshot, or of the slice, pruned files
  *   included
  * @param statistics only for the requested columns; absent where the catalog has no row
  * @param mappings the name mappings that `files` refer to
  * @param isPruned whether the table had the file at this moment and the predicates pruned it
  * @param fullMatches whether all rows of a file in `files` match the predicates for certain, if
  *   requested
  * @param keepsPlaces whether the files before the places of the requested slice are still there; a
  *   compaction may have replaced some of them, and then the slice is not the one that was meant
  */
final case class FileListing(
    files: Vector[DataFile],
    listedFiles: Long,
    listedBytes: Long,
    statistics: Map[DataFileId, Map[ColumnId, ColumnStatistics]],
    mappings: Map[MappingId, NameMapping],
    isPruned: DataFileId => Boolean,
    fullMatches: DataFileId => Boolean,
    keepsPlaces: Boolean = true,
    bounds: FileBounds = FileBounds.none,
)

/** A file scheduled for deletion. `path` is absolute, in DuckDB's spelling. */
final case class ScheduledFile(path: String, storedPath: String, scheduled: Instant)
