package ducklake.spark.extension.stream

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.types.StructType

import scala.jdk.CollectionConverters.IteratorHasAsScala

/** Finds, in a task, the rows that have one of some keys.
  *
  * @param factory of readers of batches
  * @param ordinals of the key's columns
  */
private[stream] final case class KeySearch(
    factory: PartitionReaderFactory,
    columns: StructType,
    ordinals: Vector[Int],
    keys: Set[UnsafeRow],
) {

  /** The rows of a task, each an object of its own. */
  def rows(task: InputPartition): Iterator[InternalRow] = {
    val reader = factory.createColumnarReader(task)
    TaskContext.get().addTaskCompletionListener[Unit](_ => reader.close()): Unit
    val keyOf = KeySearch.keyOf(columns, ordinals)
    val whole = UnsafeProjection.create(columns)
    Iterator
      .continually(reader)
      .takeWhile(_.next())
      .flatMap(_.get().rowIterator().asScala)
      .filter(row => keys(keyOf(row)))
      .map(row => whole(row).copy())
  }
}

private[stream] object KeySearch {

  /** Gives the same object for each row. */
  def keyOf(columns: StructType, ordinals: Vector[Int]): UnsafeProjection =
    UnsafeProjection.create(ordinals.map { ordinal =>
      BoundReference(ordinal, columns(ordinal).dataType, columns(ordinal).nullable)
    })
}
