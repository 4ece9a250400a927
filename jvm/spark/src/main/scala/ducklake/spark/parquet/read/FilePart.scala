package ducklake.spark.parquet.read

import ducklake.catalog.model.FileKey
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.files.crypto.EncryptedFile
import ducklake.files.delete.StoredDeletes

/** A byte range of one data file. A row group belongs to the range that holds its mid-point.
  *
  * @param id id of the data file in the catalog
  * @param path path for Hadoop
  * @param filename path in the form that DuckDB shows
  * @param table name of the table, for messages
  * @param recordCount number of rows in the whole file
  * @param rowIdStart row id of the file's first row; None when the file embeds row ids
  * @param begin the snapshot of rows without an embedded snapshot id
  * @param deletes the delete files; a position with a snapshot id counts only when this snapshot is
  *   not later than the [[ReadSpec]]'s snapshot
  * @param inlinedDeletes deleted positions from the catalog, strictly increasing
  * @param key of an encrypted file
  * @param footerSize as in the catalog; 0 when it is unknown
  * @param isOld whether dates are read in the calendar that the footer names: those of a file that is
  *   none of the lake. A file of the lake has the dates that DuckDB reads
  */
final case class FilePart(
    id: Long,
    path: String,
    filename: String,
    table: String,
    sizeBytes: Long,
    start: Long,
    length: Long,
    recordCount: Long,
    rowIdStart: Option[Long],
    begin: Long,
    visibility: RowVisibility,
    mapping: Option[MappingId],
    constants: Map[ColumnId, Literal],
    deletes: Vector[StoredDeletes],
    inlinedDeletes: Array[Long],
    footerSize: Long = 0L,
    key: Option[FileKey] = None,
    isOld: Boolean = false,
) {
  def encrypted: Option[EncryptedFile] = key.map(EncryptedFile(_, recordCount))

  /** The size of the footer that readers see; 0 when it is unknown. */
  def knownFooter: Long = if (key.isEmpty) footerSize else 0L
}
