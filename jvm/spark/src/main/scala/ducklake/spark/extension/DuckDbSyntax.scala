package ducklake.spark.extension

import ducklake.spark.extension.foreign.DuckDbStatements
import ducklake.spark.extension.foreign.ForeignStatements
import ducklake.spark.extension.foreign.MeantStatements
import ducklake.spark.extension.foreign.ReplaceUsing
import ducklake.spark.extension.foreign.StatementTable
import ducklake.spark.extension.foreign.TransactionWords
import ducklake.spark.extension.retry.StatementRetries
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType

/** Adds DuckDB's syntax to Spark's parser: `FROM t AT (VERSION => 3)`, `ALTER TABLE t SET
  * PARTITIONED BY (…)` and similar clauses.
  *
  * Spark's parser runs first. When it refuses a statement with one of these clauses, the statement
  * is rewritten to Spark's syntax and parsed again. If that fails too, the first error is thrown,
  * as the same object. Three kinds of statements are rewritten before Spark's parser runs: `SET NOT
  * NULL`, which Spark parses and then refuses for every column, statements of other formats that
  * Spark or another extension would misread ([[MeantStatements]], [[ReplaceUsing]]), and in a lake
  * the words that begin and end a transaction ([[TransactionWords]]).
  *
  * Methods that only a newer Spark has are those of Spark's own parser.
  *
  * @param parser the parser that runs first
  */
final class DuckDbSyntax(session: SparkSession, parser: ParserInterface)
    extends ParameterizedStatements(parser) {

  import DuckDbSyntax.Rewritten

  private val tables = new LakeTableNames(session)

  override def parsePlan(sql: String): LogicalPlan = plan(sql)(parser.parsePlan)

  protected override def plan(sql: String)(parse: String => LogicalPlan): LogicalPlan =
    retried(TransactionWords.find(sql).fold(statement(sql)(parse))(ofTransaction(sql, _)(parse)))

  /** Words about a transaction are about the current lake, and otherwise another parser's, if one
    * knows them.
    */
  private def ofTransaction(sql: String, words: TransactionWords)(
      parse: String => LogicalPlan
  ): LogicalPlan =
    tables.currentLake match {
      case Some(lake) => parse(words.call(lake))
      case None =>
        try parse(sql)
        catch { case refused: Exception => throw words.refusal(refused) }
    }

  private def retried(plan: LogicalPlan): LogicalPlan = session match {
    case known: classic.SparkSession =>
      StatementRetries.around(plan, known, tables.find(_).map(_._1))
    case _ => plan
  }

  override def parseQuery(sql: String): LogicalPlan = statement(sql)(parser.parseQuery)

  override def parseExpression(sql: String): Expression = statement(sql)(parser.parseExpression)

  override def parseTableIdentifier(sql: String): TableIdentifier = parser.parseTableIdentifier(sql)

  override def parseFunctionIdentifier(sql: String): FunctionIdentifier =
    parser.parseFunctionIdentifier(sql)

  override def parseMultipartIdentifier(sql: String): Seq[String] =
    parser.parseMultipartIdentifier(sql)

  override def parseRoutineParam(sql: String): StructType = parser.parseRoutineParam(sql)

  override def parseTableSchema(sql: String): StructType = parser.parseTableSchema(sql)

  override def parseDataType(sql: String): DataType = parser.parseDataType(sql)

  private def statement[A](sql: String)(parse: String => A): A =
    rewrittenAlter(sql)
      .filter(isParsedBySpark)
      .map(_.sql)
      .orElse(MeantStatements.rewrite(sql, tableOf, tables.isThere))
      .orElse(ReplaceUsing.rewrite(sql, tableOf, columnsOf)) match {
      case Some(meant) => parse(meant)
      case None =>
        ForeignStatements.refuseParsed(sql, tableOf, tables.isThere)
        try parse(sql)
        catch {
          case first: Exception =>
            val rewritten = rewrittenAlter(sql).map(_.sql).orElse(AtClause.rewrite(sql))
            rewritten.fold[A](refuse(sql, first))(parseAgain(_, first)(parse))
        }
    }

  private def parseAgain[A](sql: String, first: Exception)(parse: String => A): A =
    try parse(sql)
    catch {
      case second: Exception =>
        if (second ne first) first.addSuppressed(second)
        throw first
    }

  private def tableOf(name: Vector[String]): Option[StatementTable] =
    tables.meant(name).map { case (lake, schema) => StatementTable(lake, schema, name.last) }

  private def columnsOf(name: Vector[String]): Option[Vector[String]] =
    tables.meant(name).flatMap(_ => tables.located(name)).map { case (lake, ident) =>
      lake.loadTable(ident).columns().toVector.map(_.name)
    }

  private def isLake(name: String): Boolean =
    tables.find(Vector(name, "any")).exists { case (catalog, _) => catalog == name }

  private def refuse(sql: String, first: Exception): Nothing = {
    ForeignStatements.refuse(sql, tableOf, first)
    DuckDbStatements.refuse(sql, isLake, first)
    throw first
  }

  private def rewrittenAlter(sql: String): Option[Rewritten] =
    AlterClause.parse(sql).flatMap { clause =>
      tables.meant(clause.table).map { case (catalog, schema) =>
        Rewritten(clause.procedure, clause.call(catalog, Namespaces.textOf(schema)))
      }
    }

  private def isParsedBySpark(rewritten: Rewritten): Boolean = rewritten.procedure == "set_not_null"
}

private object DuckDbSyntax {

  /** A statement of DuckDB rewritten to Spark's syntax. */
  private final case class Rewritten(procedure: String, sql: String)
}
