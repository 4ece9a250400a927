package ducklake.spark.extension.stream

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.streaming.upsert.UpsertEpoch
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec
import org.apache.spark.sql.execution.datasources.v2.WriteToDataSourceV2
import org.apache.spark.sql.execution.streaming.sources.MicroBatchWrite

import scala.annotation.nowarn

/** Takes the rows of epochs that are merged into a lake table by key (decision 21). */
object UpsertingStreams extends SparkStrategy {

  /** Spark itself still plans its epochs by a class that it calls deprecated. */
  @nowarn("cat=deprecation")
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case write: WriteToDataSourceV2 =>
      write.batchWrite match {
        case batch: MicroBatchWrite =>
          batch.writeSupport match {
            case epoch: UpsertEpoch =>
              val catalog = write.relation.flatMap(_.catalog)
              Seq(UpsertEpochExec(epoch, batch, catalog, planLater(write.query)))
            case _ => Nil
          }
        case _ => Nil
      }
    case _ => Nil
  }
}

/** Computes the rows of an epoch and merges them.
  *
  * @param batch the epoch as Spark numbers it
  * @param catalog of the table; None when the query names the table otherwise
  */
private[stream] final case class UpsertEpochExec(
    epoch: UpsertEpoch,
    batch: MicroBatchWrite,
    catalog: Option[CatalogPlugin],
    override val child: SparkPlan,
) extends V2CommandExec
    with UnaryExecNode {

  override def output: Seq[Attribute] = Nil

  override protected def run(): Seq[InternalRow] = {
    onDriver(epoch.refuseContinuous())
    val rows = EpochRows.of(session, epoch, child.execute())
    try {
      val merge = new EpochMerge(session, epoch, catalog, rows)
      batch.commit(if (rows.isEmpty) Array.empty else Array(UpsertEpoch.Rows(merge.run)))
    } finally rows.close()
    Nil
  }

  override protected def withNewChildInternal(newChild: SparkPlan): UpsertEpochExec =
    copy(child = newChild)
}
