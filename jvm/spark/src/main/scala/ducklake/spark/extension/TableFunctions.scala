package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.spark.changes.FeedKind
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.metadata.LocalResult
import ducklake.spark.metadata.LocalScanTable
import ducklake.spark.procedures.ChangeFeeds
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.procedures.ListFiles
import ducklake.spark.procedures.ListFilesArguments
import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.TimestampType

/** The procedures that only read a lake, as table functions with DuckDB's full names. The first
  * argument is the catalog: `SELECT * FROM ducklake_snapshots('lake')`.
  *
  * Source: jvm/docs/procedures.md.
  */
object TableFunctions {

  def all: Vector[SparkSessionExtensions#TableFunctionDescription] =
    LakeProcedure.readProcedures.map { case (name, _) =>
      function(name, Vector.empty)((lake, _) => LakeProcedure.reading(lake, name))
    } ++ Vector(listFiles) ++ FeedKind.all.map(changeFeed)

  private val listFilesParameters = Vector(
    Parameter.required("table_name", StringType),
    Parameter.optional("schema", StringType),
    Parameter.optional("snapshot_version", LongType),
    Parameter.optional("snapshot_time", TimestampType),
  )

  private def listFiles: SparkSessionExtensions#TableFunctionDescription =
    function("list_files", listFilesParameters) { (lake, arguments) =>
      ListFiles.result(
        lake,
        ListFilesArguments(
          arguments.required("table_name"),
          arguments.text("schema"),
          arguments.long("snapshot_version"),
          arguments.instant("snapshot_time"),
        ),
      )
    }

  /** The change feeds; as in DuckDB the schema may be left out. */
  private def changeFeed(kind: FeedKind): SparkSessionExtensions#TableFunctionDescription =
    table(kind.functionName, ChangeFeedArguments.parameters) { (lake, arguments) =>
      ChangeFeeds.table(lake, ChangeFeedArguments.of(kind, arguments))
    }

  private def function(name: String, parameters: Vector[Parameter])(
      result: (SessionLake, SuppliedArguments) => LocalResult
  ): SparkSessionExtensions#TableFunctionDescription =
    table(name, _ => parameters) { (lake, arguments) =>
      new LocalScanTable(s"ducklake_$name", result(lake, arguments))
    }

  /** @param parameters the parameters after the catalog, for the arguments after the catalog */
  private def table(name: String, parameters: Seq[Expression] => Vector[Parameter])(
      result: (SessionLake, SuppliedArguments) => Table
  ): SparkSessionExtensions#TableFunctionDescription = {
    val fullName = s"ducklake_$name"
    val builder: Seq[Expression] => LogicalPlan = expressions =>
      onDriver {
        val catalog = Parameter.required("catalog", StringType)
        val wanted = catalog +: parameters(expressions)
        val arguments = SuppliedArguments.read(fullName, wanted, expressions)
        val lake = lakeOf(fullName, arguments.required("catalog"))
        DataSourceV2Relation.create(result(lake, arguments), None, None)
      }
    (FunctionIdentifier(fullName), new ExpressionInfo(getClass.getName, fullName), builder)
  }

  private def lakeOf(function: String, name: String): SessionLake = {
    val manager = SparkSession.active.sessionState.catalogManager
    val plugin = if (manager.isCatalogRegistered(name)) Some(manager.catalog(name)) else None
    plugin match {
      case Some(lake: LakeCatalog) => lake.lakeOfSession
      case _ =>
        SparkErrors.raise(
          LakeError.InvalidArgument(function, "catalog", s"names no registered lake: $name")
        )
    }
  }
}
