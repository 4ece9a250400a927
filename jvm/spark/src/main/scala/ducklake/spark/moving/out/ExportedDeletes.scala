package ducklake.spark.moving.out

import ducklake.catalog.model.DataFile
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.DeleteFileCache
import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.StoredDeletes
import org.apache.hadoop.conf.Configuration

/** The deleted rows of a data file at the exported snapshot.
  *
  * @param path of the data file, in DuckDB's spelling
  * @param inlined positions that are deleted in the catalog
  */
private[out] final case class ExportedDeletes(
    file: DataFileId,
    path: String,
    stored: Vector[StoredDeletes],
    snapshot: Long,
    inlined: Array[Long],
) {

  /** Errors: UnreadableFile; EncryptedLake. */
  def positions(table: String, conf: Configuration): DeletedPositions =
    DeleteFileCache.allPositions(stored, snapshot, table, conf).union(DeletedPositions(inlined))
}

private[out] object ExportedDeletes {

  /** Errors: EncryptedLake, UnsupportedPath. */
  def of(file: DataFile, exported: ExportedTable): ExportedDeletes =
    ExportedDeletes(
      file.id,
      file.path,
      StoredDeletes.ofAll(file, exported.name),
      exported.snapshot.id.value,
      file.inlinedDeletes.toArray,
    )
}
