package ducklake.catalog.model

import ducklake.catalog.types.Literal

/** A live data file with all a reader needs.
  *
  * @param path full resolved path in DuckDB's spelling
  * @param recordCount rows in the file, deleted ones included
  * @param rowIdStart row id of the first row; None when the file embeds row ids
  * @param begin the snapshot that added the file; of a partial file the smallest inside
  * @param visibility which rows the snapshot read sees
  * @param constants values of columns that a registered file takes from its path, by column id
  * @param partition the spec whose values are recorded, and the values' text by key index
  *   (None inside: NULL)
  * @param inlinedDeletes positions deleted in the catalog, strictly increasing
  *
  * Source: spec 1.0, ducklake_data_file.
  */
final case class DataFile(
    id: DataFileId,
    path: String,
    sizeBytes: Long,
    footerSize: Option[Long],
    recordCount: Long,
    rowIdStart: Option[Long],
    begin: SnapshotId,
    visibility: RowVisibility,
    mapping: Option[MappingId],
    constants: Map[ColumnId, Literal],
    partition: Option[FilePartition],
    encryptionKey: Option[String],
    deleteFile: Option[DeleteFile],
    inlinedDeletes: Vector[Long],
)

final case class FilePartition(id: PartitionId, values: Map[Int, Option[String]])

/** Which rows of a file that holds rows of several snapshots are seen. */
sealed trait RowVisibility

object RowVisibility {

  /** All rows. The rows' own snapshot is the embedded one, else the file's begin. */
  case object All extends RowVisibility

  /** Rows whose embedded snapshot id is at most `snapshot`. */
  final case class Embedded(snapshot: SnapshotId) extends RowVisibility

  /** Catalogs up to 0.3: runs of rows, each ending at a running total. The first `rows` rows are
    * seen.
    *
    * @param runs snapshot and running row count up to its end, in file order
    */
  final case class Prefix(rows: Long, runs: Vector[(SnapshotId, Long)]) extends RowVisibility
}

/** The file that names deleted positions of one data file.
  *
  * @param deleteCount rows in the delete file, whatever their snapshot
  */
final case class DeleteFile(
    id: DeleteFileId,
    path: String,
    format: DeleteFormat,
    deleteCount: Long,
    sizeBytes: Long,
    footerSize: Option[Long],
    begin: SnapshotId,
    encryptionKey: Option[String],
)

sealed trait DeleteFormat

object DeleteFormat {

  /** Columns `file_path`, `pos` and perhaps the snapshot of each delete. */
  case object ParquetPositions extends DeleteFormat

  /** One deletion vector. */
  case object PuffinVector extends DeleteFormat
}
