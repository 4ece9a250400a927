package ducklake.spark.extension

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.BloomFilterMightContain
import org.apache.spark.sql.catalyst.expressions.EqualTo
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.PredicateHelper
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.expressions.XxHash64
import org.apache.spark.sql.catalyst.expressions.aggregate.BloomFilterAggregate
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.RightOuter
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeRows
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.Range
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.Union
import org.apache.spark.sql.catalyst.plans.logical.View
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType

/** Lets a MERGE into a large table drop rows that no row of the source can match as they are read.
  * Spark never broadcasts the source when there is a clause WHEN NOT MATCHED, so without this rule it
  * shuffles and sorts all columns of all rows of the target.
  *
  * The rule puts the keys of the source into a Bloom filter, as Spark does for other joins, with
  * Spark's settings for such filters (`spark.sql.optimizer.runtime.bloomFilter.*`). The source is
  * read twice for this. So the rule leaves sources alone of which a second read may see other rows,
  * or may cost much: a key that the filter does not know would be inserted although it is there.
  */
object MatchableRows extends Rule[LogicalPlan] with PredicateHelper {

  /** A smaller table is joined before the filter is made. */
  private val FewRows = 1000000L

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteDelta if RowLevelScans.isOurs(write) && conf.runtimeFilterBloomFilterEnabled =>
      write.copy(query = write.query.transformDown {
        case merge @ MergeRows(_, _, _, _, _, _, _, join: Join) if isFor(join) =>
          merge.copy(child = withFilter(join))
      })
    case other => other
  }

  private def isFor(join: Join): Boolean =
    leavesOut(join.joinType) && join.right.deterministic && isSteady(join.right) && isLarge(
      join.left
    )

  /** Whether target rows without a match have no part in the result. */
  private def leavesOut(joinType: JoinType): Boolean = joinType match {
    case Inner | RightOuter => true
    case _ => false
  }

  /** Whether a second read gives the same rows, at the cost of no more than another scan. */
  private def isSteady(source: LogicalPlan): Boolean =
    source.expressions.forall(!SubqueryExpression.hasSubquery(_)) && (source match {
      case _: Project | _: Filter | _: Union | _: SubqueryAlias | _: View =>
        source.children.forall(isSteady)
      case _: LocalRelation | _: Range | _: OneRowRelation => true
      case file: LogicalRelation => file.relation.isInstanceOf[HadoopFsRelation]
      case relation: DataSourceV2Relation => relation.table.isInstanceOf[DuckLakeTable]
      case _ => false
    })

  private def isLarge(target: LogicalPlan): Boolean =
    target.collectFirst(Function.unlift(RowLevelScans.targetTable)).exists { table =>
      onDriver(table.at.snapshot.counts(table.at.table).fileRows) >= FewRows
    }

  private def withFilter(join: Join): Join = {
    val pairs = join.condition.toVector.flatMap(splitConjunctivePredicates).flatMap(keys(join, _))
    if (pairs.isEmpty) join
    else {
      val (ofTarget, ofSource) = pairs.unzip
      val filter = BloomFilterMightContain(keysOf(join.right, ofSource), new XxHash64(ofTarget))
      join.copy(left = join.left.transformUp {
        case scan: DataSourceV2Relation if RowLevelScans.isTarget(scan) => Filter(filter, scan)
      })
    }
  }

  /** The key of the target and that of the source, when the predicate compares two of them. Equal
    * values have equal bytes.
    */
  private def keys(join: Join, predicate: Expression): Option[(Expression, Expression)] = {
    val scanned = join.left.collectFirst {
      case scan: DataSourceV2Relation if RowLevelScans.isTarget(scan) => scan.outputSet
    }
    def isOfTarget(key: Expression): Boolean =
      key.references.nonEmpty && scanned.exists(key.references.subsetOf)
    def isOfSource(key: Expression): Boolean =
      key.references.nonEmpty && key.references.subsetOf(join.right.outputSet)
    val pair = predicate match {
      case EqualTo(left, right) if isOfTarget(left) && isOfSource(right) => Some((left, right))
      case EqualTo(left, right) if isOfSource(left) && isOfTarget(right) => Some((right, left))
      case _ => None
    }
    pair.filter { case (target, source) =>
      hasOneForm(target.dataType) && DataTypeUtils.sameType(target.dataType, source.dataType) &&
      target.deterministic && source.deterministic && !SubqueryExpression.hasSubquery(predicate)
    }
  }

  private def hasOneForm(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | _: DecimalType => true
    case DateType | TimestampType | TimestampNTZType => true
    case BooleanType | StringType | BinaryType => true
    case _ => false
  }

  private def keysOf(source: LogicalPlan, keys: Vector[Expression]): ScalarSubquery = {
    val bloom = new BloomFilterAggregate(
      new XxHash64(keys),
      conf.getConf(SQLConf.RUNTIME_BLOOM_FILTER_EXPECTED_NUM_ITEMS),
    )
    val all = Alias(bloom.toAggregateExpression(), "keys")()
    ScalarSubquery(Aggregate(Nil, Seq(all), source))
  }
}
