package ducklake.spark.streaming

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Names
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.layout.SortColumns
import ducklake.spark.session.WriteTarget
import ducklake.spark.types.SparkColumns
import ducklake.spark.write.DuckLakeWrite
import ducklake.spark.write.DuckLakeWriteBuilder
import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.distributions.Distributions
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.Write
import org.apache.spark.sql.connector.write.streaming.StreamingWrite

/** Builds a write that Spark may run as a batch or as an epoch of a stream. */
final class StreamableWriteBuilder(target: WriteTarget, info: LogicalWriteInfo)
    extends DuckLakeWriteBuilder(target, info) {

  override protected def written(mode: OverwriteMode): Write =
    new StreamableWrite(target, mode, info)
}

/** A write that Spark may run as a batch or as an epoch of a stream. Spark builds one for each epoch. */
private final class StreamableWrite(
    target: WriteTarget,
    mode: OverwriteMode,
    info: LogicalWriteInfo,
) extends DuckLakeWrite(target, mode, info) {

  /** Errors: Unsupported for rows to replace other than none and all. */
  override def toStreaming: StreamingWrite = onDriver {
    mode match {
      case OverwriteMode.Nothing | OverwriteMode.Everything => ()
      case OverwriteMode.Matching(_) | OverwriteMode.Partitions =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"A stream that replaces some of the rows of ${target.layout.name}",
            "Output mode complete replaces all rows. Use `foreachBatch` for others.",
          )
        )
    }
    new EpochWrite(StreamTarget.immediate(target), mode, info)
  }

  /** Whether the rows have the columns by which the table is partitioned and sorted, in the table's
    * types. Rows of a stream may lack columns or have them in other types, and Spark clusters and
    * sorts them before they are fitted to the table. The writers of the tasks take rows in every order.
    */
  private lazy val hasKeys: Boolean = {
    val layout = target.layout
    val partitioned = layout.columns.filter(c => layout.partition.exists(_.column == c.id))
    val sorted = SortColumns.of(layout.sort, layout.columns).toVector.flatten.map(_._2)
    SparkColumns.of(partitioned ++ sorted, target.session.timeRule).forall { key =>
      info.schema().exists { field =>
        Names.isSame(field.name, key.name()) && field.dataType == key.dataType()
      }
    }
  }

  override def requiredDistribution(): Distribution =
    if (hasKeys) super.requiredDistribution() else Distributions.unspecified()

  override def advisoryPartitionSizeInBytes(): Long =
    if (hasKeys) super.advisoryPartitionSizeInBytes() else 0L

  override def requiredOrdering(): Array[SortOrder] =
    if (hasKeys) super.requiredOrdering() else Array.empty
}
