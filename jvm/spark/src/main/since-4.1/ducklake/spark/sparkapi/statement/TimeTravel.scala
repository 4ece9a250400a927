package ducklake.spark.sparkapi.statement

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The version or the time that a query names for a table. */
private[statement] object TimeTravel {
  def isNamed(relation: DataSourceV2Relation): Boolean = relation.timeTravelSpec.nonEmpty
}
