package ducklake.spark.session

import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.connector.catalog.transactions.Transaction
import org.apache.spark.sql.connector.read.Scan

/** One statement that writes: all its tables are read at one snapshot, and what it changes, rows and
  * columns, becomes one other.
  */
final class LakeTransaction(lake: TransactionalLake, override val catalog: CatalogPlugin)
    extends Transaction {

  override def commit(): Unit = onDriver(lake.finish())

  override def abort(): Unit = onDriver(lake.discard())

  override def close(): Unit = ()

  /** What is cached was read at another snapshot. */
  override def registerScans(scans: Array[Scan]): Boolean = false
}
