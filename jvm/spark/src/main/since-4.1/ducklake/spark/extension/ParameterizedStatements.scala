package ducklake.spark.extension

import org.apache.spark.sql.catalyst.parser.ParameterContext
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser

/** A parser in front of another one, which also sees statements with parameters. */
private[extension] abstract class ParameterizedStatements(parser: ParserInterface)
    extends SparkSqlParser {

  /** The plan of a statement that `parse` parses. */
  protected def plan(sql: String)(parse: String => LogicalPlan): LogicalPlan

  override def parsePlanWithParameters(sql: String, context: ParameterContext): LogicalPlan =
    plan(sql)(parser.parsePlanWithParameters(_, context))
}
