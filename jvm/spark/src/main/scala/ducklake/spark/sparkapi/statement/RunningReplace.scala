package ducklake.spark.sparkapi.statement

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTableAsSelect
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The statement that Spark runs while it requests a table in place of another: CREATE OR REPLACE
  * TABLE … AS SELECT, or the same from a DataFrame. Spark does not show the statement to the
  * catalog.
  *
  * @param reads the tables of catalogs that the query reads, also through views and subqueries
  * @param isSaveAsTable whether it is `saveAsTable` of a DataFrame, which only replaces the rows of
  *   the existing table; other statements ask for another table. It always names a format; other
  *   statements seldom do
  */
private[spark] final case class RunningReplace(
    reads: Vector[RunningReplace.Read],
    isSaveAsTable: Boolean,
    options: CaseInsensitiveStringMap,
)

private[spark] object RunningReplace {

  /** @param isPast whether the query names the snapshot or the time at which the table is read */
  final case class Read(table: Table, options: CaseInsensitiveStringMap, isPast: Boolean)

  /** The statement of this kind that runs in this thread; None when no known statement runs. */
  def ofThread(): Option[RunningReplace] =
    for {
      session <- SparkSession.getActiveSession
      id <- Option(session.sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))
      execution <- Option(SQLExecution.getQueryExecution(id.toLong))
      plan = execution.analyzed
      replace <- plan.collectFirst { case found: ReplaceTableAsSelect => found }
    } yield of(plan, replace)

  /** Common table expressions stand around the statement, not in its query. */
  private def of(plan: LogicalPlan, replace: ReplaceTableAsSelect): RunningReplace = {
    val options = new java.util.HashMap[String, String]
    replace.writeOptions.foreach { case (key, value) => options.put(key, value) }
    RunningReplace(
      (reads(plan) ++ reads(replace.query)).toVector,
      replace.orCreate && replace.tableSpec.provider.nonEmpty,
      new CaseInsensitiveStringMap(options),
    )
  }

  private def reads(plan: LogicalPlan): Seq[Read] =
    plan.collectWithSubqueries { case relation: DataSourceV2Relation =>
      Read(relation.table, relation.options, TimeTravel.isNamed(relation))
    }

  /** Whether columns have the same names and types in the same order, lengths of texts included.
    * Nullability does not matter.
    */
  def haveSameTypes(some: Array[Column], others: Array[Column]): Boolean =
    some.length == others.length && some.zip(others).forall { case (one, other) =>
      one.name.equalsIgnoreCase(other.name) &&
      DataTypeUtils.equalsIgnoreCaseAndNullability(one.dataType, other.dataType)
    }
}
