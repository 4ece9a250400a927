package ducklake.spark.parquet.read

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.MappingId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.Literal

/** A byte range of one data file. A row group belongs to the range that holds its mid-point.
  *
  * @param id of the data file in the catalog
  * @param path as Hadoop opens it
  * @param filename as DuckDB shows it
  * @param table for messages
  * @param recordCount rows of the whole file
  * @param rowIdStart None when the file embeds row ids
  * @param begin the snapshot of rows without an embedded one
  * @param inlinedDeletes positions in the file, strictly increasing
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
    deletes: Option[DeletePart],
    inlinedDeletes: Array[Long],
)

/** The delete file of a data file. Positions that carry a snapshot id count only up to the
  * [[ReadSpec]]'s snapshot.
  */
final case class DeletePart(path: String, format: DeleteFormat, sizeBytes: Long, deleteCount: Long)
