package ducklake.spark.sparkapi.statement

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The version or the time that a query names for a table. */
private[statement] object TimeTravel {

  /** Whether the relation has one: Spark 4.0 does not keep it. The table of a lake knows it. */
  def isNamed(@annotation.unused relation: DataSourceV2Relation): Boolean = false
}
