package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.DuckLakeException
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses a table function that does not exist here and whose name has the prefix of DuckDB's
  * functions of lakes. The error lists the functions that exist.
  */
object UnknownTableFunctions extends Rule[LogicalPlan] {

  private val prefix = "ducklake_"
  private val known = TableFunctions.all.map { case (id, _, _) => id.funcName }.sorted

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case function: UnresolvedTableValuedFunction =>
        function.name match {
          case Seq(name) if isMissing(name) => refuse(name)
          case _ => ()
        }
      case _ => ()
    }
    plan
  }

  private def isMissing(name: String): Boolean =
    name.toLowerCase(java.util.Locale.ROOT).startsWith(prefix) &&
      !known.exists(_.equalsIgnoreCase(name))

  private def refuse(name: String): Nothing = {
    val error = LakeError.Unsupported(
      s"The table function `$name`",
      s"There are ${known.mkString(", ")}. All functions of DuckLake run in DuckDB, on the same lake.",
    )
    throw new DuckLakeException(error, new LakeException(error))
  }
}
