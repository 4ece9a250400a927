package ducklake.spark.extension.stream

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Names
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.stream.RowsByName
import ducklake.spark.streaming.upsert.UpsertEpoch
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Coalesce
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.If
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.MonotonicallyIncreasingID
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ducklake.ComputedRows
import org.apache.spark.storage.StorageLevel

/** The rows of an epoch as they are merged: one for each key, in the columns of the table, and
  * whether the key is deleted. They are computed once, also when the merge runs again.
  *
  * @param columns of the table, and others behind them
  * @param stored what Spark keeps; the rows are the last of it
  * @param collected all rows, when they are few
  */
private[stream] final class EpochRows private (
    session: SparkSession,
    val columns: Seq[Attribute],
    stored: Vector[RDD[InternalRow]],
    val collected: Option[Vector[InternalRow]],
) {

  def isEmpty: Boolean = collected.exists(_.isEmpty)

  /** As the source of a statement. */
  def plan: LogicalPlan =
    collected match {
      case Some(rows) => LocalRelation(columns, rows)
      case None => ComputedRows.plan(session, stored.last, DataTypeUtils.fromAttributes(columns))
    }

  /** The values of a column as literals; None when there are many. */
  def fewValues(column: String): Option[Vector[Literal]] =
    values(column).filter(_.sizeIs <= EpochRows.FewValues)

  private def values(column: String): Option[Vector[Literal]] =
    collected.map { rows =>
      val ordinal = columns.indexWhere(_.name == column)
      val dataType = columns(ordinal).dataType
      rows.map(_.get(ordinal, dataType)).distinct.map(Literal(_, dataType))
    }

  def close(): Unit = stored.foreach(_.unpersist())
}

private[stream] object EpochRows {

  /** Says of a row that its key is deleted. */
  val Deleted: String = "ducklake_is_deleted"

  private val Position = "ducklake_position"
  private val Rank = "ducklake_rank"

  /** So many values of a key filter files. */
  private val FewValues = 1000

  /** Few rows are chosen on the driver, so that nothing is shuffled.
    *
    * @param incoming the rows of the query
    *
    * Errors: StreamCannotContinue for NULL in a key or in the sequence, and for a key with two rows
    * without a sequence; Spark's own errors when the columns do not fit.
    */
  def of(session: SparkSession, epoch: UpsertEpoch, incoming: RDD[InternalRow]): EpochRows = {
    val fit = session.sessionState.executePlan(fitted(session, epoch, incoming))
    val (columns, rows) = (fit.analyzed.output, kept(fit.toRdd))
    try {
      val newest = new NewestRows(epoch, columns)
      val few = if (newest.mayChoose) FewRows.of(rows) else None
      few match {
        case Some(found) =>
          new EpochRows(session, columns, Vector(rows), Some(newest.of(found)))
        case None => chosen(session, epoch, columns, rows)
      }
    } catch {
      case failure: Throwable =>
        rows.unpersist(): Unit
        throw SparkErrors.behind(failure).getOrElse(failure)
    }
  }

  private def kept(rows: RDD[InternalRow]): RDD[InternalRow] =
    rows.mapPartitions(_.map(_.copy())).persist(StorageLevel.MEMORY_AND_DISK)

  /** The newest row of each key by the sequence; of rows of the same sequence the first. Spark finds
    * them.
    *
    * @param rows in the columns of the table
    */
  private def chosen(
      session: SparkSession,
      epoch: UpsertEpoch,
      columns: Seq[Attribute],
      rows: RDD[InternalRow],
  ): EpochRows = {
    val source = ComputedRows.plan(session, rows, DataTypeUtils.fromAttributes(columns))
    val plan = session.sessionState.executePlan(ranked(session, epoch, source))
    val ranks = plan.analyzed.output
    val rank = ranks.indexWhere(_.name == Rank)
    val check = new RowCheck(epoch, ranks)
    val checked = kept(plan.toRdd.map { row =>
      val problem = check.problem(row).orElse(Option.when(row.getInt(rank) > 1)(check.twice))
      problem.foreach(SparkErrors.failTask)
      row
    })
    try new EpochRows(session, ranks, Vector(rows, checked), FewRows.of(checked))
    catch {
      case failure: Throwable =>
        checked.unpersist(): Unit
        throw failure
    }
  }

  /** Without a sequence all rows but the third and later ones of a key: its second row is an error.
    */
  private def ranked(session: SparkSession, epoch: UpsertEpoch, rows: LogicalPlan): LogicalPlan = {
    def parsed(text: String): Expression = session.sessionState.sqlParser.parseExpression(text)
    def quoted(name: String): String = QuotingUtils.quoteIdentifier(name)
    val keys = epoch.upsert.keys.map(quoted).mkString(", ")
    val newest = epoch.upsert.sequence.map(column => s"${quoted(column)} DESC NULLS FIRST, ")
    val order = newest.getOrElse("") + Position
    val rank = parsed(s"row_number() OVER (PARTITION BY $keys ORDER BY $order)")
    val most = if (newest.isEmpty) 2 else 1
    Filter(parsed(s"$Rank <= $most"), Project(Seq(UnresolvedStar(None), Alias(rank, Rank)()), rows))
  }

  /** The rows in the table's columns, and behind them whether they delete and their order. */
  private def fitted(
      session: SparkSession,
      epoch: UpsertEpoch,
      incoming: RDD[InternalRow],
  ): LogicalPlan = {
    val source = ComputedRows.plan(session, incoming, epoch.rows)
    val all = source.output
    val deletes = epoch.upsert.deleteWhen.map(condition(session, _, all))
    val read = deletes.fold(Set.empty[NamedExpression])(_.references.toSet)
    val taken = all.filter(column => isInTable(epoch, column.name) || !read.contains(column))
    val whether = Coalesce(deletes.toSeq :+ Literal.FalseLiteral)
    val isDeleted = Alias(whether, Deleted)()
    val fit = values(epoch, taken)
    val own =
      if (deletes.isEmpty) fit else fit.map(unlessDeleted(epoch, isDeleted.toAttribute, _))
    val extra = Seq(isDeleted.toAttribute, Alias(MonotonicallyIncreasingID(), Position)())
    Project(own ++ extra, Project(all :+ isDeleted, source))
  }

  /** NULL for a row that deletes its key: of such a row only the key and the sequence count. Often it
    * has no other values, and the other rows may not have NULL in columns that are NOT NULL.
    */
  private def unlessDeleted(epoch: UpsertEpoch, isDeleted: Attribute, value: Alias): Alias = {
    val counts = epoch.upsert.keys ++ epoch.upsert.sequence
    if (counts.contains(value.name)) value
    else Alias(If(isDeleted, Literal(null, value.dataType), value.child), value.name)()
  }

  private def isInTable(epoch: UpsertEpoch, name: String): Boolean =
    epoch.table.columns.exists(column => Names.isSame(column.name, name))

  private def values(epoch: UpsertEpoch, taken: Seq[Attribute]): Seq[Alias] = {
    val columns = epoch.table.columns
    val schema = DataTypeUtils.fromAttributes(taken)
    val values = RowsByName.of(epoch.table.name, columns, schema) match {
      case None => taken
      case Some(rows) =>
        val own = rows.query.map(_.exprId).zip(taken).toMap
        rows.values.map(_.transform { case column: Attribute => own(column.exprId) })
    }
    values.zip(columns).map { case (value, column) => Alias(value, column.name)() }
  }

  /** Errors: Spark's own for a text that is no condition on these columns; InvalidSetting for a
    * subquery.
    */
  private def condition(session: SparkSession, text: String, rows: Seq[Attribute]): Expression = {
    val state = session.sessionState
    val filter = Filter(state.sqlParser.parseExpression(text), LocalRelation(rows))
    state.executePlan(filter).analyzed match {
      case Filter(condition, _: LocalRelation) if !SubqueryExpression.hasSubquery(condition) =>
        condition
      case _ =>
        SparkErrors.raise(
          LakeError.InvalidSetting(
            StatementOptions.DeleteWhen,
            s"is `$text`, which reads more than one row of the stream",
            "Compare columns of the stream with values.",
          )
        )
    }
  }
}
