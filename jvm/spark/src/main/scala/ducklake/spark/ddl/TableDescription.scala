package ducklake.spark.ddl

import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.expressions.Transform

/** The table that a statement describes. Versions of Spark have different types for it.
  *
  * @param hasConstraints whether there is a constraint other than NOT NULL
  */
final case class TableDescription(
    columns: Vector[Column],
    partitions: Vector[Transform],
    properties: Map[String, String],
    hasConstraints: Boolean,
)
