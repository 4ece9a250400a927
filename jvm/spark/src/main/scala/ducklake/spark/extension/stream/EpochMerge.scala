package ducklake.spark.extension.stream

import ducklake.catalog.change.operation.StreamEpoch
import ducklake.catalog.error.LakeError
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
import org.apache.spark.sql.catalyst.expressions.In
import org.apache.spark.sql.catalyst.expressions.Not
import org.apache.spark.sql.catalyst.plans.logical.AppendData
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.catalyst.plans.logical.DeleteAction
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.InsertAction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.plans.logical.UpdateAction
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.slf4j.LoggerFactory

import scala.annotation.tailrec

/** Merges the rows of an epoch into the table. The commit records the epoch. Few rows are merged by the
  * driver, others by a statement. After a conflict, which leaves nothing committed, they are merged
  * again at the newest snapshot.
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

  private val rules = new MergeRules(epoch)

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
      merge(number, table)
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

  private def merge(number: StreamEpoch, at: TableAtSnapshot): Unit = {
    val merged = MergedEpoch(number, epoch.options)
    val table = new DuckLakeTable(at, TableUse.Any, Some(merged))
    val operation = table.changing(Command.MERGE)
    val known = KnownRows.in(session, epoch, rows, operation).filter(_ => mayCompare)
    if (!known.exists(new DriverMerge(epoch, rows, _, operation).isDone)) {
      val target = WriteTarget.existing(at.session, at.snapshot, at.table)
      val isNew = known.exists(_.areNone) && !merged.isSerializable(target)
      // Without a name, so that Spark does not load another table in place of this one.
      val relation = DataSourceV2Relation.create(table, catalog, None)
      val plan = if (isNew) append(relation) else merge(relation)
      session.sessionState.executePlan(plan).assertCommandExecuted()
    }
  }

  /** Whether the sequence is compared as it is stored, which CHAR(n) columns are not. */
  private def mayCompare: Boolean =
    epoch.table.columns
      .filter(column => epoch.upsert.sequence.contains(column.name))
      .forall(column => !CharVarcharUtils.hasCharVarchar(column.dataType))

  /** Without a join, because the table has none of the keys. */
  private def append(target: DataSourceV2Relation): LogicalPlan = {
    val source = rows.plan
    val isDeleted = source.output.find(_.name == EpochRows.Deleted)
    val kept = isDeleted.fold(source)(deleted => Filter(Not(deleted), source))
    AppendData.byPosition(target, Project(source.output.take(rules.columns.length), kept))
  }

  private def merge(target: DataSourceV2Relation): MergeIntoTable = {
    val isNewer = rules.isNewer(row, old)
    val isDeleted = row(EpochRows.Deleted)
    MergeIntoTable(
      SubqueryAlias(Target, target),
      SubqueryAlias(Source, rows.plan),
      (matching ++ near).reduce(And(_, _)),
      matchedActions = Seq(
        DeleteAction(Some(isNewer.foldLeft[Expression](isDeleted)(And(_, _)))),
        UpdateAction(isNewer, assignments(rules.streamed.diff(epoch.upsert.keys))),
      ),
      notMatchedActions = Seq(InsertAction(Some(Not(isDeleted)), assignments(rules.columns))),
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
