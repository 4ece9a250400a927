package ducklake.spark.extension

import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.ducklake.SchemaOfColumns

/** Gives columns that a write by name leaves out their defaults, which Spark itself does from 4.1
  * on. The write is an INSERT with BY NAME or with a list of columns, or that of a frame.
  *
  * It runs when table and query are resolved, and before Spark compares their columns: Spark makes
  * a write of an INSERT in its next round, and waits for the [[UnfilledQuery]] of a frame.
  */
object FilledInserts extends Rule[LogicalPlan] {

  /** Adds the rules. */
  def addTo(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(session => new UnfilledFrames(session))
    extensions.injectResolutionRule(_ => FilledInserts)
  }

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case insert: InsertIntoStatement if insert.query.resolved && insert.byName =>
      val query = filled(insert, insert.query.output.map(_.name))
      insert.copy(query = query)
    case insert: InsertIntoStatement
        if insert.query.resolved && insert.userSpecifiedCols.nonEmpty &&
          insert.userSpecifiedCols.length == insert.query.output.length =>
      val query = filled(insert, insert.userSpecifiedCols)
      val missing = query.output.drop(insert.userSpecifiedCols.length).map(_.name)
      insert.copy(userSpecifiedCols = insert.userSpecifiedCols ++ missing, query = query)
    case UnfilledWrite(write, query) if query.resolved && write.table.resolved =>
      write.withNewQuery(filled(query, query.output.map(_.name), write.table))
  }

  private def filled(insert: InsertIntoStatement, named: Seq[String]): LogicalPlan = {
    val constants = insert.partitionSpec.collect { case (name, Some(_)) => name }
    filled(insert.query, named ++ constants, insert.table)
  }

  /** The query with the defaults of the columns that are not there. A column that has no value at
    * all is left to Spark, whose error names it.
    */
  private def filled(query: LogicalPlan, there: Seq[String], table: LogicalPlan): LogicalPlan =
    table match {
      case DataSourceV2Relation(ours: DuckLakeTable, _, _, _, _) =>
        val missing = SchemaOfColumns
          .of(ours.columns())
          .filterNot(field => there.exists(conf.resolver(_, field.name)))
          .flatMap(field =>
            ResolveDefaultColumns.getDefaultValueExprOrNullLit(field, field.nullable)
          )
        if (missing.isEmpty) query else Project(query.output ++ missing, query)
      case _ => query
    }

  /** A write whose query is not filled yet, with the query. */
  private object UnfilledWrite {
    def unapply(plan: LogicalPlan): Option[(V2WriteCommand, LogicalPlan)] = plan match {
      case write: V2WriteCommand =>
        Some(write.query).collect { case UnfilledQuery(query) => (write, query) }
      case _ => None
    }
  }
}

/** The query of a frame that is written by name, until its missing columns are filled. It is never
  * resolved: Spark compares the columns of a write as soon as its table and its query are.
  */
private final case class UnfilledQuery(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override lazy val resolved: Boolean = false
  override protected def withNewChildInternal(newChild: LogicalPlan): UnfilledQuery =
    copy(child = newChild)
}

/** Marks the queries of frames that are written to a lake by name. */
private final class UnfilledFrames(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write: V2WriteCommand if write.isByName && !isMarked(write) && isOurs(write.table) =>
      write.withNewQuery(UnfilledQuery(write.query))
  }

  private def isMarked(write: V2WriteCommand): Boolean = write.query.isInstanceOf[UnfilledQuery]

  private def isOurs(table: LogicalPlan): Boolean = table match {
    case relation: UnresolvedRelation =>
      tables.find(relation.multipartIdentifier.toVector).isDefined
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[DuckLakeTable]
    case _ => false
  }
}
