package ducklake.spark.extension.stream

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CharVarcharUtils

/** Gives streams CHAR(n) and VARCHAR(n) columns as STRING, as Spark does for the tables of all
  * other queries. Spark itself refuses these columns in streams (jvm/docs/limits.md).
  */
object StreamedTexts extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithNewOutput {
      case relation: StreamingRelationV2 if hasLengths(relation) =>
        val schema = DataTypeUtils.fromAttributes(relation.output)
        val output =
          DataTypeUtils.toAttributes(CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema))
        // The number of fields differs between versions of Spark, so `copy` cannot be used.
        val fields = relation.productIterator.map { field =>
          (if (field == relation.output) output else field).asInstanceOf[AnyRef]
        }
        relation.makeCopy(fields.toArray) -> relation.output.zip(output)
    }

  private def hasLengths(relation: StreamingRelationV2): Boolean =
    relation.table match {
      case _: DuckLakeTable =>
        relation.output.exists(column => CharVarcharUtils.hasCharVarchar(column.dataType))
      case _ => false
    }
}
