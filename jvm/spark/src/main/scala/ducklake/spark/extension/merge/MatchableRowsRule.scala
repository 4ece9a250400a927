package ducklake.spark.extension.merge

import ducklake.catalog.listing.TableCounts
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.extension.RowLevelScans
import ducklake.spark.sparkapi.sql.OneForm
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.BloomFilterMightContain
import org.apache.spark.sql.catalyst.expressions.EqualTo
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.PredicateHelper
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression
import org.apache.spark.sql.catalyst.expressions.XxHash64
import org.apache.spark.sql.catalyst.expressions.aggregate.BloomFilterAggregate
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.catalyst.expressions.objects.NewInstance
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
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
import org.apache.spark.sql.catalyst.util.CharVarcharCodegenUtils
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

/** Lets a MERGE into a large table drop, while they are read, rows that no row of the source can
  * match. Spark never broadcasts the source when there is a clause WHEN NOT MATCHED, so without
  * this rule it shuffles and sorts all columns of all rows of the target (decision 19).
  *
  * The rule puts the keys of the source into a Bloom filter, as Spark does for other joins, with
  * Spark's settings for such filters (`spark.sql.optimizer.runtime.bloomFilter.*`). The source is
  * read twice for this. So the rule skips sources whose second read may see other rows, or may cost
  * much: a key missing in the filter would be inserted although the target has it. Files are
  * checked before the first read and after the last read: when a file was replaced meanwhile, the
  * statement is not committed.
  *
  * The filter is made after the analyser has handled subqueries, so later steps of the analyser do
  * not change the filter's plan. One of these steps decides how users' functions get NULL.
  */
object MatchableRowsRule extends Rule[LogicalPlan] with PredicateHelper {

  /** A smaller table is joined before the filter is made. */
  private val FewRows = 1000000L

  /** A larger source is not read twice: the time is bounded by the time of the join, and one task
    * collects the filters of all tasks, about a megabyte each.
    */
  private val MostBytes = 64L << 30
  private val MostTimesTheTarget = 4L
  private val UsualBits = 7000000L

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteDelta if RowLevelScans.isOurs(write) && isOn =>
      write.copy(query = write.query.transformDown {
        case merge @ MergeRows(_, _, _, _, _, _, _, join: Join) =>
          merge.copy(child = withFilter(write, join))
      })
    case other => other
  }

  private def isOn: Boolean = conf.runtimeFilterBloomFilterEnabled && expectedKeys > 0

  private def expectedKeys: Long =
    conf.getConf(SQLConf.RUNTIME_BLOOM_FILTER_EXPECTED_NUM_ITEMS)

  /** In this join, target rows without a match are not in the result. */
  private def withFilter(write: WriteDelta, join: Join): Join = join match {
    case Join(target: Project, source, RightOuter, Some(condition), _) =>
      val pairs = splitConjunctivePredicates(condition).toVector.flatMap(keys(target, source, _))
      if (pairs.isEmpty || !isSteady(source) || !isWorthwhile(target, source)) join
      else if (!isChecked(write, source)) join
      else {
        val (ofTarget, ofSource) = pairs.unzip
        val matchable =
          BloomFilterMightContain(keysOf(source, ofSource), new XxHash64(ofTarget))
        join.copy(left = target.copy(child = Filter(matchable, target.child)))
      }
    case _ => join
  }

  /** The key of the target and the key of the source, when the predicate compares them. Equal
    * values have equal bytes.
    */
  private def keys(
      target: Project,
      source: LogicalPlan,
      predicate: Expression,
  ): Option[(Expression, Expression)] = {
    def isOf(plan: LogicalPlan, key: Expression): Boolean =
      key.references.nonEmpty && key.references.subsetOf(plan.outputSet) && isPure(key)
    val pair = predicate match {
      case EqualTo(left, right) if isOf(target.child, left) && isOf(source, right) =>
        Some((left, right))
      case EqualTo(left, right) if isOf(source, left) && isOf(target.child, right) =>
        Some((right, left))
      case _ => None
    }
    pair.filter { case (ofTarget, ofSource) =>
      OneForm.has(ofTarget.dataType) && DataTypeUtils.sameType(ofTarget.dataType, ofSource.dataType)
    }
  }

  /** Whether a second evaluation gives the same value. Users' functions count as impure, because
    * Spark assumes that they are pure unless the user says otherwise.
    */
  private def isPure(expression: Expression): Boolean =
    expression.deterministic && !SubqueryExpression.hasSubquery(expression) &&
      !expression.exists(isOfUser)

  /** Functions of other catalogs are calls of Java methods. */
  private def isOfUser(expression: Expression): Boolean = expression match {
    case _: UserDefinedExpression | _: Invoke | _: NewInstance => true
    case call: StaticInvoke => call.staticObject != classOf[CharVarcharCodegenUtils]
    case _ => false
  }

  /** Whether a second read gives the same rows, at the cost of no more than another scan. */
  private def isSteady(source: LogicalPlan): Boolean =
    source.expressions.forall(isPure) && (source match {
      case _: Project | _: Filter | _: Union | _: SubqueryAlias | _: View =>
        source.children.forall(isSteady)
      case leaf => bytesOf(leaf).nonEmpty
    })

  /** The size of a leaf that reads the same rows again; None for others. Files of a table in
    * Spark's catalog are listed with each read, and other formats list files in their own ways.
    */
  private def bytesOf(leaf: LogicalPlan): Option[Long] = leaf match {
    case _: LocalRelation | _: Range | _: OneRowRelation => Some(0L)
    case relation: DataSourceV2Relation =>
      relation.table match {
        case table: DuckLakeTable => Some(countsOf(table).fileBytes)
        case _ => None
      }
    case other => filesOf(other).map(_.sizeBytes)
  }

  private def filesOf(leaf: LogicalPlan): Option[MergeSourceFiles] = leaf match {
    case files: LogicalRelation if files.catalogTable.isEmpty =>
      files.relation match {
        case relation: HadoopFsRelation => MergeSourceFiles.of(relation)
        case _ => None
      }
    case _ => None
  }

  /** Whether the files of the source are as Spark has listed them. The write then checks them again
    * before it commits.
    */
  private def isChecked(write: WriteDelta, source: LogicalPlan): Boolean = {
    val files = source.collectLeaves().flatMap(filesOf)
    val operation = RowLevelScans.operation(write).filter(_ => files.forall(_.areAsListed))
    operation.foreach(_.readsTwice(files.toVector))
    operation.nonEmpty
  }

  private def isWorthwhile(target: LogicalPlan, source: LogicalPlan): Boolean =
    target.collectFirst(Function.unlift(RowLevelScans.targetTable)).map(countsOf).exists { counts =>
      val bytes = source.collectLeaves().flatMap(bytesOf).sum
      counts.fileRows >= FewRows &&
      bytes <= math.min(MostBytes, MostTimesTheTarget * counts.fileBytes)
    }

  private def countsOf(table: DuckLakeTable): TableCounts =
    onDriver(table.at.snapshot.counts(table.at.table))

  /** The size of the filter, which is a part of each task's program. Spark warns of programs of
    * 1000 KiB, and its own default size of these filters is larger: with seven bits for each of a
    * million keys, a row in thirty without a match passes.
    */
  private def filterBits: Long =
    if (conf.contains(SQLConf.RUNTIME_BLOOM_FILTER_NUM_BITS.key))
      conf.getConf(SQLConf.RUNTIME_BLOOM_FILTER_NUM_BITS)
    else math.min(UsualBits, conf.getConf(SQLConf.RUNTIME_BLOOM_FILTER_NUM_BITS))

  private def keysOf(source: LogicalPlan, keys: Vector[Expression]): ScalarSubquery = {
    val bloom =
      new BloomFilterAggregate(new XxHash64(keys), Literal(expectedKeys), Literal(filterBits))
    ScalarSubquery(Aggregate(Nil, Seq(Alias(bloom.toAggregateExpression(), "keys")()), source))
  }
}
