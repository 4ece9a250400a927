package org.apache.spark.sql.execution.ducklake

import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperation
import org.apache.spark.sql.connector.write.RowLevelOperationTable

/** Finds the table that a row-level statement changes. Spark wraps this table in another table to
  * read and write it.
  */
object ChangedTable {

  def of(table: Table): Option[SupportsRowLevelOperations] = table match {
    case RowLevelOperationTable(changed, _) => Some(changed)
    case _ => None
  }

  /** The operation of the statement, which the table has given to Spark. */
  def operation(table: Table): Option[RowLevelOperation] = table match {
    case RowLevelOperationTable(_, operation) => Some(operation)
    case _ => None
  }
}
