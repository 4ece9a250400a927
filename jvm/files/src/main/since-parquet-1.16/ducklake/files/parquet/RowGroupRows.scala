package ducklake.files.parquet

import org.apache.parquet.hadoop.ParquetWriter

/** The most rows of a row group. */
object RowGroupRows {

  def limited[A, B <: ParquetWriter.Builder[A, B]](
      builder: ParquetWriter.Builder[A, B],
      rows: Int,
  ): ParquetWriter.Builder[A, B] = builder.withRowGroupRowCountLimit(rows)
}
