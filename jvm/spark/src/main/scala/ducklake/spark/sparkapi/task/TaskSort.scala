package ducklake.spark.sparkapi.task

import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Ascending
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.Descending
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.catalyst.expressions.NullsFirst
import org.apache.spark.sql.catalyst.expressions.NullsLast
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Sorts rows inside a task. Rows that do not fit into the task's memory are spilled to disk.
  *
  * @param keys each with the index of its column
  */
final class TaskSort(schema: StructType, keys: Vector[(Int, SortKey)]) {

  private val projection = UnsafeProjection.create(schema)
  private val last = new GenericInternalRow(1)
  private val joined = new JoinedRow

  private val sorter = UnsafeExternalRowSorter.create(
    schema,
    RowOrdering.create(
      keys.map { case (ordinal, key) => TaskSort.order(schema, ordinal, key) },
      DataTypeUtils.toAttributes(schema),
    ),
    PrefixComparators.LONG,
    TaskSort.SamePrefix,
    SparkEnv.get.memoryManager.pageSizeBytes,
    false,
  )

  /** Takes a row. It is copied. */
  def add(row: InternalRow): Unit = sorter.insertRow(projection(row))

  /** Takes a row whose last column is given separately, as these bytes. */
  def add(row: InternalRow, bytes: Array[Byte]): Unit = {
    last.update(0, bytes)
    add(joined(row, last))
  }

  /** All rows in order. The iterator gives the same object for each row. */
  def sorted(): Iterator[InternalRow] = sorter.sort()

  def close(): Unit = sorter.cleanupResources()
}

object TaskSort {

  /** Whether Spark can order the values of a column. */
  def mayOrder(dataType: org.apache.spark.sql.types.DataType): Boolean =
    RowOrdering.isOrderable(dataType)

  private def order(schema: StructType, ordinal: Int, key: SortKey): SortOrder = {
    val direction = key.direction match {
      case SortDirection.Ascending => Ascending
      case SortDirection.Descending => Descending
    }
    val nulls = key.nulls match {
      case NullOrder.First => NullsFirst
      case NullOrder.Last => NullsLast
    }
    val column = BoundReference(ordinal, schema(ordinal).dataType, nullable = true)
    SortOrder(column, direction, nulls, Seq.empty)
  }

  /** No prefix: rows are compared as they are. */
  private object SamePrefix extends UnsafeExternalRowSorter.PrefixComputer {
    private val same = new UnsafeExternalRowSorter.PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix =
      same
  }
}
