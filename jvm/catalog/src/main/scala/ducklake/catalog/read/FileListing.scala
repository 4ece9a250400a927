package ducklake.catalog.read

import java.time.Instant

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.MappingId
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Literal

/** What a scan wants to know of a table's files.
  *
  * @param predicates all must hold; files that cannot match any row are left out
  * @param statistics leaf columns whose file statistics are wanted in the answer
  * @param inlined whether rows kept in the catalog are wanted, and of them the values of these
  *   columns: top-level columns of the table, pruned or not
  * @param asksFullMatches whether the answer is to tell which files match entirely
  */
final case class FileRequest(
    predicates: Vector[Predicate],
    statistics: Set[ColumnId],
    inlined: Option[Vector[Column]],
    asksFullMatches: Boolean = false,
)

object FileRequest {

  /** All files and nothing else. */
  val everyFile: FileRequest = FileRequest(Vector.empty, Set.empty, None)
}

/** The files of a table at one snapshot that may hold matching rows, and its rows in the catalog, as
  * they were at one moment: compactions and flushes put rows of a past snapshot elsewhere, so that two
  * listings of one snapshot may differ. What was found in one is not to be looked for in another.
  *
  * @param files those left, ordered by begin snapshot, then id
  * @param listedFiles files of the table at the snapshot, pruned ones included
  * @param statistics only for the columns asked for; absent where the catalog has no row
  * @param mappings the name mappings that `files` refer to
  * @param inlinedRows visible rows kept in the catalog if asked for, by row id, whatever the predicates
  * @param isPruned whether the table had the file at this moment, and the predicates left it out
  * @param fullMatches those of `files` all of whose rows match the predicates for certain, if asked for
  */
final case class FileListing(
    files: Vector[DataFile],
    listedFiles: Long,
    listedBytes: Long,
    statistics: Map[DataFileId, Map[ColumnId, ColumnStatistics]],
    mappings: Map[MappingId, NameMapping],
    inlinedRows: Vector[InlinedRow],
    isPruned: DataFileId => Boolean,
    fullMatches: Set[DataFileId],
)

/** A row kept in the catalog, with values for the columns that were asked for, in their order. */
final case class InlinedRow(
    table: String,
    rowId: Long,
    begin: SnapshotId,
    values: Vector[Literal],
)

/** A file that cleanup will remove; `path` is full, in DuckDB's spelling. */
final case class ScheduledFile(path: String, scheduled: Instant)
