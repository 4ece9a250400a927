package ducklake.spark.internal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow

/** A row with its row id behind its values. The same object each time: to be used at once. */
final class RowWithId {
  private val id = new GenericInternalRow(1)
  private val joined = new JoinedRow

  def of(row: InternalRow, rowId: Long): InternalRow = {
    id.setLong(0, rowId)
    joined(row, id)
  }
}
