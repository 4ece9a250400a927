package ducklake.spark.streaming.columns

import ducklake.spark.read.ScanMetrics
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.types.StructType

/** The scan of a stream in the plan of a batch with filters. Spark ignores a change that leaves a plan
  * equal, and a stream with filters equals the stream without them (see [[PrunedStream]]): this scan
  * makes the difference, and shows the filters.
  */
final case class FilteredScan(under: Scan, filters: Vector[Predicate]) extends Scan {

  override def readSchema(): StructType = under.readSchema()

  override def description(): String = {
    val shown = filters.map(filter => ScanMetrics.shortened(filter.toString))
    s"${under.description()} (filters ${shown.mkString("[", ", ", "]")})"
  }

  override def columnarSupportMode(): ColumnarSupportMode = under.columnarSupportMode()

  override def supportedCustomMetrics(): Array[CustomMetric] = under.supportedCustomMetrics()

  override def reportDriverMetrics(): Array[CustomTaskMetric] = under.reportDriverMetrics()
}

object FilteredScan {

  /** The scan with these filters in the place of those that it has. */
  def of(scan: Scan, filters: Vector[Predicate]): Scan = {
    val under = scan match {
      case filtered: FilteredScan => filtered.under
      case other => other
    }
    if (filters.isEmpty) under else FilteredScan(under, filters)
  }
}
