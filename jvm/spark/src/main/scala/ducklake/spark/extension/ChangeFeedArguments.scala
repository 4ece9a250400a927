package ducklake.spark.extension

import ducklake.spark.changes.FeedKind
import ducklake.spark.ddl.TableName
import ducklake.spark.procedures.FeedArguments
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression
import org.apache.spark.sql.types.StringType

/** The arguments of the table functions of change feeds. */
private[extension] object ChangeFeedArguments {

  /** The parameters after the catalog that match the arguments: the schema may be left out. */
  def parameters(expressions: Seq[Expression]): Vector[Parameter] = {
    val names = expressions.collect { case argument: NamedArgumentExpression => argument.key }
    val hasSchema = FeedArguments.hasSchema(expressions.length - 1, names.toVector)
    Option.when(hasSchema)(Parameter.required("schema_name", StringType)).toVector ++ Vector(
      Parameter.required("table_name", StringType),
      Parameter.bound("start_snapshot"),
      Parameter.bound("end_snapshot"),
    )
  }

  def of(kind: FeedKind, arguments: SuppliedArguments): FeedArguments =
    FeedArguments(
      s"ducklake_${kind.functionName}",
      kind,
      TableName(arguments.text("schema_name"), arguments.required("table_name")),
      arguments.bound("start_snapshot"),
      arguments.bound("end_snapshot"),
    )
}
