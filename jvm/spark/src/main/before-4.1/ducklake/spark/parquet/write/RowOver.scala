package ducklake.spark.parquet.write

import org.apache.spark.sql.catalyst.InternalRow

/** A row in the place of another row, whose values need no converter where only some versions of
  * Spark have the type: Spark 4.0 has none of these types.
  */
private[write] abstract class RowOver extends InternalRow {
  protected def under: InternalRow
}
