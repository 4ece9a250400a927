package ducklake.spark.parquet.rowgroup

import ducklake.spark.parquet.vector.BatchPositions
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.vectorized.ColumnVector

/** Which rows of a file are shown. */
trait RowChoice {

  /** Whether some row may be hidden. */
  def mayHide: Boolean

  /** Whether all rows of the row group are hidden, so that it need not be read. */
  def hidesAll(group: BlockMetaData): Boolean

  /** The place of the embedded snapshot column among the decoded columns, when rows are chosen by
    * it.
    */
  def snapshotOrdinal: Option[Int]

  /** Writes the offsets of the shown rows of a batch.
    *
    * @param positions of the batch's rows
    * @param snapshots the vector at [[snapshotOrdinal]]
    * @param kept receives the offsets, ascending; at least as long as the batch
    * @return the number of written offsets
    */
  def keep(positions: BatchPositions, snapshots: Option[ColumnVector], kept: Array[Int]): Int
}
