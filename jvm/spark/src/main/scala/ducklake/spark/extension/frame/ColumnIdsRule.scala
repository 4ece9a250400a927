package ducklake.spark.extension.frame

import ducklake.spark.changes.ChangeFeedTable
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.Command
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.Metadata
import org.apache.spark.sql.types.MetadataBuilder

/** Keeps the ids of columns out of the schemas that users see. Spark copies the id of a catalog's
  * column into the column's metadata, so that the schema of a DataFrame would not equal the schema
  * that a user writes down. Spark itself compares the ids of the tables' columns, not the metadata,
  * when it reads a table again for a plan.
  */
object ColumnIdsRule extends Rule[LogicalPlan] {

  /** Spark's key for the id of a column. */
  private val Key = "__FIELD_ID"

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case command: Command => command
    case query =>
      val withIds = query.collect {
        case relation: DataSourceV2Relation if isOurs(relation.table) => relation.output
        case relation: StreamingRelationV2 if isOurs(relation.table) => relation.output
      }
      val ids = withIds.flatten.filter(_.metadata.contains(Key)).map(_.exprId).toSet
      if (ids.isEmpty) query
      else
        query.transformAllExpressions {
          case column: AttributeReference if ids(column.exprId) && column.metadata.contains(Key) =>
            column.withMetadata(without(column.metadata))
        }
  }

  private def isOurs(table: Table): Boolean = table match {
    case _: DuckLakeTable | _: ChangeFeedTable => true
    case _ => false
  }

  private def without(metadata: Metadata): Metadata =
    new MetadataBuilder().withMetadata(metadata).remove(Key).build()
}
