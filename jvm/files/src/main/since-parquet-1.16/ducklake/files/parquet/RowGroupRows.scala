package ducklake.files.parquet

import org.apache.parquet.hadoop.ParquetWriter

/** The most rows of a row group. */
object RowGroupRows {

  /** Whether this version of Parquet's library ends a row group at a number of rows. */
  val areCounted: Boolean = true

  def limited[A, B <: ParquetWriter.Builder[A, B]](
      builder: ParquetWriter.Builder[A, B],
      rows: Int,
  ): ParquetWriter.Builder[A, B] = builder.withRowGroupRowCountLimit(rows)
}
