package ducklake.spark.extension

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParameterContext
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType

/** DuckDB's words on top of Spark's parser: `FROM t AT (VERSION => 3)`, `ALTER TABLE t SET PARTITIONED
  * BY (…)` and its like.
  *
  * Spark's parser goes first. Only a text that it refuses, and that holds such words, is tried once
  * more in Spark's; if that fails too, the first error stands, as the same object. `SET NOT NULL` alone
  * goes to a lake's procedure at once: Spark parses it, and then refuses it for any column.
  *
  * @param parser the one before ours, also for the class that [[NewerParser]] makes
  */
class DuckDbSyntax(session: SparkSession, val parser: ParserInterface) extends ParserInterface {

  import DuckDbSyntax.Rewritten

  private val tables = new LakeTableNames(session)

  override def parsePlan(sql: String): LogicalPlan = statement(sql)(parser.parsePlan)

  override def parsePlanWithParameters(sql: String, context: ParameterContext): LogicalPlan =
    statement(sql)(parser.parsePlanWithParameters(_, context))

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
    altered(sql).filter(isSparksToo) match {
      case Some(instead) => parse(instead.sql)
      case None =>
        ForeignStatements.refuseParsed(sql, isOurs, tables.isThere)
        try parse(sql)
        catch {
          case first: Exception =>
            val again = altered(sql).map(_.sql).orElse(AtClause.rewrite(sql))
            again.fold[A](refused(sql, first))(retried(_, first)(parse))
        }
    }

  private def retried[A](sql: String, first: Exception)(parse: String => A): A =
    try parse(sql)
    catch {
      case second: Exception =>
        if (second ne first) first.addSuppressed(second)
        throw first
    }

  private def isOurs(name: Vector[String]): Boolean = tables.find(name).isDefined

  private def refused(sql: String, first: Exception): Nothing = {
    ForeignStatements.refuse(sql, isOurs, first)
    throw first
  }

  private def altered(sql: String): Option[Rewritten] =
    AlterClause.parse(sql).flatMap { clause =>
      tables.find(clause.table).map { case (catalog, schema) =>
        Rewritten(clause.procedure, clause.call(catalog, schema))
      }
    }

  private def isSparksToo(rewritten: Rewritten): Boolean = rewritten.procedure == "set_not_null"
}

object DuckDbSyntax {

  /** What a statement of DuckDB's is called in Spark. */
  private final case class Rewritten(procedure: String, sql: String)

  def around(session: SparkSession, parser: ParserInterface): ParserInterface =
    NewerParser.complete(session, parser)
}
