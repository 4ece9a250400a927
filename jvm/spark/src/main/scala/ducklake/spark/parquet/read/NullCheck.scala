package ducklake.spark.parquet.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Refuses NULL in columns that are NOT NULL. Spark does not test for NULL there, so it would show
  * whatever the memory of the vector holds. Files that DuckDB registered may have NULLs there,
  * because DuckDB does not check.
  *
  * @param columns ordinals in a batch, with the names of the columns
  */
private[read] final class NullCheck(part: FilePart, columns: Vector[(Int, String)]) {

  /** Errors: UnreadableFile. */
  def check(batch: ColumnarBatch): Unit =
    columns.foreach { case (ordinal, name) =>
      val vector = batch.column(ordinal)
      if (vector.hasNull && (0 until batch.numRows()).exists(vector.isNullAt))
        throw new LakeException(
          LakeError.UnreadableFile(
            part.filename,
            part.table,
            s"it has NULL in the column `$name`, which is NOT NULL; ALTER TABLE … ALTER COLUMN … " +
              "DROP NOT NULL makes its rows readable",
          )
        )
    }
}
