package ducklake.spark.streaming

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.option.OptionRules
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.Names
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors
import ducklake.spark.partitioning.SortColumns
import ducklake.spark.partitioning.WriteLayout
import ducklake.spark.session.WriteTarget
import ducklake.spark.types.SparkTypes
import ducklake.spark.write.StreamForm
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.streaming.StreamingWrite

/** How a write runs as an epoch of a stream. Spark builds a new write for each epoch, and asks it
  * for the distribution of its rows before it opens the epoch.
  */
final class EpochForm(
    target: WriteTarget,
    mode: OverwriteMode,
    info: LogicalWriteInfo,
    upkeep: WriteTarget => EpochUpkeep,
) extends StreamForm {

  private def layout: WriteLayout = target.layout

  /** Errors: Unsupported for an overwrite that replaces some rows, and for a bucket key in another
    * type.
    */
  override def open(): StreamingWrite = {
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
    StreamOptions.refuse(
      info,
      OptionRules.IsolationLevel.key,
      "a stream conflicts with no rows of others.",
    )
    StreamOptions.refuseNumbers(info)
    requireBuckets()
    // The epoch has its own commit, outside of Spark's transaction of the epoch.
    val own = target.copy(session = target.session.immediate)
    new EpochWrite(own, mode, info, upkeep(own))
  }

  /** Spark distributes and sorts rows of a stream before they are fitted to the table. A key whose
    * column is missing has one value. A column in another type clusters by its own values, which
    * keeps the rows of a partition together, except for buckets. Rows are sorted only if all sort
    * columns fit.
    */
  override def distributed: WriteLayout = {
    val keys = layout.partition.flatMap { key =>
      columnOf(key).flatMap(fits).map { isSame =>
        if (isSame) key else key.copy(transform = Transform.Identity)
      }
    }
    val sorted = SortColumns.of(layout.sort, layout.columns).toVector.flatten.map(_._2)
    layout.copy(
      partition = keys.distinctBy(key => (key.column, key.transform)),
      sort = if (sorted.forall(fits(_).contains(true))) layout.sort else Vector.empty,
    )
  }

  /** Rows that are sorted by values of another type would alternate between buckets, and each would
    * open a file.
    *
    * Errors: Unsupported.
    */
  private def requireBuckets(): Unit =
    layout.partition.filter(isBucket).flatMap(columnOf).filter(fits(_).contains(false)).foreach {
      column =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"A stream to ${layout.name}, which has buckets of the column `${column.name}`, with " +
              "another type of this column",
            "Cast the column in the query to the type that it has in the table.",
          )
        )
    }

  private def isBucket(key: PartitionKey): Boolean = key.transform match {
    case Transform.Bucket(_) => true
    case _ => false
  }

  private def columnOf(key: PartitionKey): Option[Column] = layout.columns.find(_.id == key.column)

  /** Whether the rows have the column in the table's type; None when they lack it. */
  private def fits(column: Column): Option[Boolean] = {
    val wanted = SparkTypes.of(column, target.session.timeRule)
    info
      .schema()
      .find(field => Names.isSame(field.name, column.name))
      .map(_.dataType == wanted)
  }
}
