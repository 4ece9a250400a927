package ducklake.files.parquet

/** Field ids and names of the columns that DuckLake adds to files.
  *
  * Source: DuckDB 1.5.5, format 5.3 and 6.2.
  */
object ReservedFields {
  val rowId: Int = 2147483540
  val rowIdName: String = "_ducklake_internal_row_id"
  val snapshotId: Int = 2147483539
  val snapshotIdName: String = "_ducklake_internal_snapshot_id"

  val inDataFiles: Set[Int] = Set(rowId, snapshotId)

  /** Columns of delete files. */
  val deletedPath: Int = 2147483646
  val deletedPosition: Int = 2147483645

  /** The same columns in delete files of Iceberg. */
  val icebergDeletedPath: Int = 2147483546
  val icebergDeletedPosition: Int = 2147483545
}
