package ducklake.spark.extension.written

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.AnalysisHelper.allowInvokingTransformsInAnalyzer
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Keeps the snapshot that a frame names when a statement writes the frame's rows. Spark loads the
  * tables of a writing statement again by their names, and forgets the version or the time in the
  * frame: the newest rows would be written instead of the rows that the frame shows. A relation
  * without a name is not loaded again.
  */
object PastRelations extends Rule[LogicalPlan] {

  private val Named = TreeNodeTag[DataSourceV2Relation]("ducklake_named_relation")

  override def apply(plan: LogicalPlan): LogicalPlan =
    allowInvokingTransformsInAnalyzer {
      plan.transform { case write @ ReloadingWrite() =>
        write.transformWithSubqueries {
          case relation: DataSourceV2Relation if isPast(relation) => withoutName(relation)
        }
      }
    }

  /** The plan with the names of its relations, by which Spark finds it in its cache. */
  def withNames(plan: LogicalPlan): LogicalPlan =
    plan.transformWithSubqueries { case relation: DataSourceV2Relation =>
      relation.getTagValue(Named).fold(relation) { named =>
        relation.copy(catalog = named.catalog, identifier = named.identifier)
      }
    }

  private def isPast(relation: DataSourceV2Relation): Boolean = relation.table match {
    case table: DuckLakeTable => table.at.isPast && relation.identifier.nonEmpty
    case _ => false
  }

  private def withoutName(relation: DataSourceV2Relation): DataSourceV2Relation = {
    val unnamed = relation.copy(catalog = None, identifier = None)
    unnamed.copyTagsFrom(relation)
    unnamed.setTagValue(Named, relation)
    unnamed
  }
}
