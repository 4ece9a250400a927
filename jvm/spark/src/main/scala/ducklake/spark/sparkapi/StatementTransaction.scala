package ducklake.spark.sparkapi

import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.connector.catalog.transactions.Transaction
import org.apache.spark.sql.connector.read.Scan

/** A statement that writes, as Spark ends it.
  *
  * @param catalog the lake as the statement sees it
  * @param finish commits what the statement changed
  * @param discard forgets it
  */
final class StatementTransaction(
    override val catalog: CatalogPlugin,
    finish: () => Unit,
    discard: () => Unit,
) extends Transaction {

  override def commit(): Unit = onDriver(finish())

  override def abort(): Unit = onDriver(discard())

  override def close(): Unit = ()

  /** Results that Spark keeps in its cache were read at another snapshot. */
  override def registerScans(scans: Array[Scan]): Boolean = false
}
