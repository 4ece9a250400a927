package ducklake.spark.extension

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser

/** A parser in front of another one. Spark 4.0 binds parameters of statements behind the parser. */
private[extension] abstract class ParameterizedStatements(
    @annotation.unused parser: ParserInterface
) extends SparkSqlParser {

  /** The plan of a statement that `parse` parses. */
  protected def plan(sql: String)(parse: String => LogicalPlan): LogicalPlan
}
