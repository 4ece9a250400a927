package org.apache.spark.sql.execution.ducklake

import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperationTable

/** The table that a row-level statement changes, within the one by which Spark reads and writes it. */
object ChangedTable {

  def of(table: Table): Option[SupportsRowLevelOperations] = table match {
    case RowLevelOperationTable(changed, _) => Some(changed)
    case _ => None
  }
}
