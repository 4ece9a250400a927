package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.TableCapability

/** Whether Spark merges two scans of one table into one scan. Spark 4.3 does it for tables with a
  * capability that Spark 4.2 does not have.
  */
private[spark] object ScanMerging {

  /** The capability; None when Spark does not have it. */
  val capability: Option[TableCapability] =
    TableCapability.values().find(_.name() == "SCAN_MERGING")
}
