package ducklake.spark.sparkapi.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.ProjectingInternalRow
import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** Rows with only the first `count` columns. All calls return the same object, so the caller uses
  * it before the next call.
  */
final class FirstColumns(count: Int) {
  // Values are read by the getter of their type, so that the types of the fields do not matter.
  private val schema =
    StructType(Vector.tabulate(count)(at => StructField(s"c$at", NullType)))
  private val shown = ProjectingInternalRow(schema, schema.indices)

  def of(row: InternalRow): InternalRow = {
    shown.project(row)
    shown
  }
}
