package ducklake.spark.sparkapi

import org.apache.spark.sql.connector.catalog.TableCapability

/** Whether Spark merges two scans of one table into one scan. Spark 4.3 does so for tables with a
  * capability that Spark 4.2 does not know.
  */
private[spark] object ScanMerging {

  /** The capability; None where Spark has no such. */
  val capability: Option[TableCapability] =
    TableCapability.values().find(_.name() == "SCAN_MERGING")
}
