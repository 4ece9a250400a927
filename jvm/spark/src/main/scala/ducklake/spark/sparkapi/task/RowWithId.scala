package ducklake.spark.sparkapi.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.ProjectingInternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.types.StructType

/** Appends the row id to the values of a row. All calls return the same object, so the caller uses
  * it before the next call.
  *
  * @param schema schema of the values. Additional columns at the end of rows are left out
  */
final class RowWithId(schema: StructType) {
  private val id = new GenericInternalRow(1)
  private val joined = new JoinedRow
  private val values = ProjectingInternalRow(schema, schema.indices)

  def of(row: InternalRow, rowId: Long): InternalRow = {
    id.setLong(0, rowId)
    if (row.numFields == schema.length) joined(row, id)
    else {
      values.project(row)
      joined(values, id)
    }
  }
}
