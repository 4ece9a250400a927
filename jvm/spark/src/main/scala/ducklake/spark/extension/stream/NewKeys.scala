package ducklake.spark.extension.stream

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.sparkapi.sql.OneForm
import ducklake.spark.streaming.upsert.UpsertEpoch
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.In
import org.apache.spark.sql.catalyst.expressions.Not
import org.apache.spark.sql.catalyst.plans.logical.AppendData
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Appends few rows of which the table has no key yet, as the catalog's statistics prove: then there
  * is nothing to join, and the driver writes the rows without a job.
  */
private[stream] final class NewKeys(epoch: UpsertEpoch, rows: EpochRows) {

  /** None when the table may have one of the keys, or the rows are many. */
  def append(relation: DataSourceV2Relation): Option[LogicalPlan] =
    for {
      table <- Option(relation.table).collect { case table: DuckLakeTable => table }
      keys <- predicates(relation)
      if isWithout(table, keys)
    } yield AppendData.byPosition(relation, inserted)

  private def inserted: LogicalPlan = {
    val source = rows.plan
    val isDeleted = source.output.find(_.name == EpochRows.Deleted)
    val kept = isDeleted.fold(source)(deleted => Filter(Not(deleted), source))
    Project(source.output.take(epoch.table.columns.length), kept)
  }

  /** One for each column of the key; None when one cannot be asked of the catalog. */
  private def predicates(relation: DataSourceV2Relation): Option[Vector[Predicate]] = {
    val found = epoch.upsert.keys.map(key => relation.output.find(_.name == key).flatMap(asked))
    Option.when(found.forall(_.nonEmpty))(found.flatten)
  }

  /** Texts with blanks behind them, which CHAR(n) columns have, may stand otherwise in files. */
  private def asked(key: Attribute): Option[Predicate] =
    rows
      .fewValues(key.name)
      .filter(_ => epoch.table.columns.exists(c => c.name == key.name && OneForm.has(c.dataType)))
      .flatMap(found =>
        new V2ExpressionBuilder(In(key, found), isPredicate = true).buildPredicate()
      )

  private def isWithout(table: DuckLakeTable, keys: Vector[Predicate]): Boolean = onDriver {
    table.newScanBuilder(CaseInsensitiveStringMap.empty()) match {
      case builder: SupportsPushDownV2Filters =>
        builder.pushPredicates(keys.toArray): Unit
        builder.build().toBatch.planInputPartitions().isEmpty
      case _ => false
    }
  }
}
