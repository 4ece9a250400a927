package ducklake.spark.sparkapi.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

/** Copies rows whose objects Spark will use again, into a form in which rows can be kept and sent.
  */
final class RowCopies(schema: StructType) {

  private lazy val projection = UnsafeProjection.create(schema)

  def of(row: InternalRow): UnsafeRow = row match {
    case unsafe: UnsafeRow => unsafe.copy()
    case other => projection(other).copy()
  }
}
