package ducklake.spark.extension.optimizer

import ducklake.catalog.predicate.NormalForm
import ducklake.catalog.predicate.Predicate
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.read.DuckLakeScan
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Recognises tables of lakes and their scans in plans. */
private[optimizer] object LakeScans {

  def isTable(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[DuckLakeTable]
    case _ => false
  }

  /** The scan of a table by a query; None for scans of row-level statements and for other sources.
    */
  def scanOf(relation: DataSourceV2ScanRelation): Option[DuckLakeScan] = relation.scan match {
    case scan: DuckLakeScan if isTable(relation.relation) => Some(scan)
    case _ => None
  }

  /** Whether Spark makes the same scan again from the table and the plan above it. A scan of only
    * some fields of a struct returns columns of other types than the table.
    */
  def canBeMadeAgain(relation: DataSourceV2ScanRelation): Boolean = {
    val types = relation.relation.output.map(column => column.exprId -> column.dataType).toMap
    scanOf(relation).isDefined &&
    relation.output.forall(column => types.get(column.exprId).contains(column.dataType))
  }

  /** Filters above a scan as predicates that are true for exactly the same rows; None when the
    * catalog cannot decide one of them.
    */
  def decidable(filters: Seq[Expression], scan: DuckLakeScan): Option[Vector[Predicate]] = {
    val translator = new SparkPredicates(scan.request.table.table.columns)
    val predicates = filters.toVector.flatMap { filter =>
      new V2ExpressionBuilder(filter, isPredicate = true).buildPredicate().flatMap(translator.exact)
    }
    Option.when(predicates.length == filters.length)(predicates)
  }

  /** Filters above a scan as the predicates of a scan that has them all; a filter that the catalog
    * and Parquet cannot use is left out.
    */
  def usable(filters: Seq[Expression], scan: DuckLakeScan): Vector[Predicate] = {
    val translator = new SparkPredicates(scan.request.table.table.columns)
    NormalForm.of(filters.toVector.flatMap { filter =>
      new V2ExpressionBuilder(filter, isPredicate = true)
        .buildPredicate()
        .flatMap(translator.translate)
    })
  }

  /** The node with another value in one of its fields. The number of fields differs between versions
    * of Spark, so `copy` cannot be used.
    */
  def replaced(node: LogicalPlan, old: AnyRef, made: AnyRef): LogicalPlan = {
    val fields = node.productIterator.map {
      case field: AnyRef if field eq old => made
      case field => field.asInstanceOf[AnyRef]
    }
    node.makeCopy(fields.toArray)
  }
}
