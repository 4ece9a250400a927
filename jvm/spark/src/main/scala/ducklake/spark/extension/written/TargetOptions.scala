package ducklake.spark.extension.written

import ducklake.spark.extension.LakeTableNames
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.AppendData
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression
import org.apache.spark.sql.catalyst.plans.logical.OverwritePartitionsDynamic
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala
import scala.jdk.CollectionConverters.SetHasAsScala

/** Takes the options of an INSERT from the name of its table before Spark resolves names. Spark
  * resolves each name of a statement once, whatever its options are. If the query reads the table
  * that gets the rows, the INSERT would lose its options, or the read would get them.
  *
  * [[TargetOptions.OfWrite]] gives the options to the write when the table is resolved.
  */
private[spark] final class TargetOptions(session: SparkSession) extends Rule[LogicalPlan] {
  import TargetOptions.Given
  import TargetOptions.replacing

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperators {
      case insert: InsertIntoStatement => withoutOptions(insert, insert.table)
      case append: AppendData => withoutOptions(append, append.table)
      case overwrite: OverwriteByExpression => withoutOptions(overwrite, overwrite.table)
      case dynamic: OverwritePartitionsDynamic => withoutOptions(dynamic, dynamic.table)
    }

  private def withoutOptions(write: LogicalPlan, target: LogicalPlan): LogicalPlan =
    target match {
      case relation: UnresolvedRelation
          if hasOptions(relation) && tables.find(relation.multipartIdentifier.toVector).isDefined =>
        val (privileges, given) = relation.options.asCaseSensitiveMap().asScala.toMap.partition {
          case (key, _) => isPrivileges(key)
        }
        val bare = relation.copy(options = new CaseInsensitiveStringMap(privileges.asJava))
        bare.copyTagsFrom(relation)
        val changed = replacing(write, relation, bare)
        changed.setTagValue(Given, given)
        changed
      case _ => write
    }

  private def hasOptions(relation: UnresolvedRelation): Boolean =
    relation.options.keySet().asScala.exists(key => !isPrivileges(key))

  /** Whether it is the option by which Spark says what the statement does to the table. */
  private def isPrivileges(key: String): Boolean =
    key.equalsIgnoreCase(UnresolvedRelation.REQUIRED_WRITE_PRIVILEGES)
}

private[spark] object TargetOptions {

  private val Given = TreeNodeTag[Map[String, String]]("ducklake_options_of_target")

  /** Gives the options that [[TargetOptions]] took from a name to the write. */
  object OfWrite extends Rule[LogicalPlan] {

    override def apply(plan: LogicalPlan): LogicalPlan =
      plan.resolveOperators {
        case append: AppendData => withOptions(append, append.writeOptions)
        case overwrite: OverwriteByExpression => withOptions(overwrite, overwrite.writeOptions)
        case dynamic: OverwritePartitionsDynamic => withOptions(dynamic, dynamic.writeOptions)
      }

    private def withOptions(write: LogicalPlan, options: Map[String, String]): LogicalPlan =
      write.getTagValue(Given).fold(write) { more =>
        if (more.toSet.subsetOf(options.toSet)) write
        else replacing(write, options, options ++ more)
      }
  }

  /** A node with another part. Nodes have not the same fields in all versions of Spark, so `copy`
    * cannot be called.
    */
  private def replacing(node: LogicalPlan, part: AnyRef, other: AnyRef): LogicalPlan = {
    val parts = node.productIterator.map {
      case same: AnyRef if same eq part => other
      case different => different.asInstanceOf[AnyRef]
    }
    val changed = node.makeCopy(parts.toArray)
    changed.copyTagsFrom(node)
    changed
  }
}
