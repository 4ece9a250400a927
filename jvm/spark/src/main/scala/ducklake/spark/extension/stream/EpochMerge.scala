package ducklake.spark.extension.stream

import ducklake.catalog.change.operation.StreamEpoch
import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Names
import ducklake.spark.errors.SparkErrors
import ducklake.spark.rowlevel.MergedEpoch
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.streaming.upsert.UpsertEpoch
import ducklake.spark.table.DuckLakeTable
import ducklake.spark.table.TableUse
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.EqualTo
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.GreaterThan
import org.apache.spark.sql.catalyst.expressions.In
import org.apache.spark.sql.catalyst.expressions.IsNull
import org.apache.spark.sql.catalyst.expressions.Not
import org.apache.spark.sql.catalyst.expressions.Or
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.catalyst.plans.logical.DeleteAction
import org.apache.spark.sql.catalyst.plans.logical.InsertAction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.UpdateAction
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.slf4j.LoggerFactory

import scala.annotation.tailrec

/** Merges the rows of an epoch into the table, by a MERGE whose commit records the epoch; by an append
  * when all keys are new. The statement runs again on the newest snapshot after a conflict, which leaves nothing committed.
  *
  * @param catalog knows the functions by which rows are clustered
  */
private[stream] final class EpochMerge(
    session: SparkSession,
    epoch: UpsertEpoch,
    catalog: Option[CatalogPlugin],
    rows: EpochRows,
) {
  import EpochMerge.*

  /** Errors: CommitConflict after the last attempt; the errors of a MERGE; StreamCannotContinue as for
    * [[UpsertEpoch.newest]].
    */
  def run(number: StreamEpoch): Unit = attempt(number, epoch.newest(), left = Attempts - 1)

  @tailrec
  private def attempt(number: StreamEpoch, table: TableAtSnapshot, left: Int): Unit =
    if (!isDone(number, table, isLast = left == 0)) attempt(number, epoch.newest(), left - 1)

  /** False after a conflict. The error of the last attempt is thrown. */
  private def isDone(number: StreamEpoch, table: TableAtSnapshot, isLast: Boolean): Boolean =
    try {
      session.sessionState.executePlan(statement(number, table)).assertCommandExecuted()
      true
    } catch {
      case failure: Exception if !isLast && isConflict(failure) =>
        log.info("{} is merged again: {}", Array[AnyRef](epoch, failure.getMessage)*)
        false
    }

  private def isConflict(failure: Exception): Boolean =
    SparkErrors
      .behind(failure)
      .exists(_.error match {
        case _: LakeError.CommitConflict => true
        case _ => false
      })

  private def statement(number: StreamEpoch, at: TableAtSnapshot): LogicalPlan = {
    val merged = MergedEpoch(number, epoch.options)
    val table = new DuckLakeTable(at, TableUse.Any, Some(merged))
    // Without a name, so that Spark does not load another table in place of this one.
    val relation = DataSourceV2Relation.create(table, catalog, None)
    val target = WriteTarget.existing(at.session, at.snapshot, at.table)
    val append =
      if (merged.isSerializable(target)) None else new NewKeys(epoch, rows).append(relation)
    append.getOrElse(merge(relation))
  }

  private def merge(target: DataSourceV2Relation): MergeIntoTable = {
    val isNewer = epoch.upsert.sequence.map { column =>
      Or(IsNull(old(column)), GreaterThan(row(column), old(column)))
    }
    val isDeleted = row(EpochRows.Deleted)
    MergeIntoTable(
      SubqueryAlias(Target, target),
      SubqueryAlias(Source, rows.plan),
      (matching ++ near).reduce(And(_, _)),
      matchedActions = Seq(
        DeleteAction(Some(isNewer.foldLeft[Expression](isDeleted)(And(_, _)))),
        UpdateAction(isNewer, assignments(streamed.diff(epoch.upsert.keys))),
      ),
      notMatchedActions = Seq(InsertAction(Some(Not(isDeleted)), assignments(columns))),
      notMatchedBySourceActions = Nil,
      withSchemaEvolution = false,
    )
  }

  private def matching: Vector[Expression] =
    epoch.upsert.keys.map(key => EqualTo(old(key), row(key)))

  /** The keys of few rows, so that no file without them is read. */
  private def near: Vector[Expression] =
    epoch.upsert.keys.flatMap { key =>
      rows.fewValues(key).map(In(old(key), _))
    }

  private def columns: Vector[String] = epoch.table.columns.map(_.name).toVector

  /** The table's columns that the stream has. Rows that are there keep the values of the others. */
  private def streamed: Vector[String] =
    columns.filter(column => epoch.rows.fieldNames.exists(Names.isSame(_, column)))

  private def assignments(names: Vector[String]): Vector[Assignment] =
    names.map(name => Assignment(old(name), row(name)))

  private def old(column: String): Expression = UnresolvedAttribute(Seq(Target, column))

  private def row(column: String): Expression = UnresolvedAttribute(Seq(Source, column))
}

private object EpochMerge {
  private val log = LoggerFactory.getLogger(classOf[EpochMerge])

  private val Attempts = 10
  private val Target = "ducklake_table"
  private val Source = "ducklake_epoch"
}
