package ducklake.files.parquet

import org.apache.parquet.hadoop.ParquetWriter

/** The most rows of a row group. */
object RowGroupRows {

  /** Whether this version of Parquet's library ends a row group at a number of rows. */
  val areCounted: Boolean = false

  /** The builder as it is: this version of Parquet's library limits only the bytes. */
  def limited[A, B <: ParquetWriter.Builder[A, B]](
      builder: ParquetWriter.Builder[A, B],
      @annotation.unused rows: Int,
  ): ParquetWriter.Builder[A, B] = builder
}
