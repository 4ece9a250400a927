package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.CallMethodViaReflection
import org.apache.spark.sql.catalyst.plans.logical.Command
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.ScriptTransformation

import java.util.Locale

/** Finds parts of a view's text that run programs. Every writer of the catalog can write texts of
  * views, and Spark runs a view with the rights of its reader.
  */
private[spark] object ProgramsInViews {

  /** Describes the part that runs a program, as the end of a sentence that begins with the text;
    * None without such a part.
    *
    * @param plan parsed or analyzed
    */
  def in(plan: LogicalPlan): Option[String] =
    SharedMeaning.plansOf(plan).flatMap(ofPlan).headOption

  private def ofPlan(plan: LogicalPlan): Option[String] = plan match {
    case _: Command => Some("is no query")
    case _: ScriptTransformation => Some("runs a program by TRANSFORM")
    case other =>
      other.expressions
        .flatMap(_.collect {
          case call: UnresolvedFunction if Reflecting(lastPart(call)) => callOf(lastPart(call))
          case _: CallMethodViaReflection => callOf("reflect")
        })
        .headOption
  }

  private def lastPart(call: UnresolvedFunction): String =
    call.nameParts.lastOption.fold("")(_.toLowerCase(Locale.ROOT))

  private def callOf(function: String): String = s"calls a method of Java by `$function`"

  private val Reflecting = Set("reflect", "java_method", "try_reflect")
}
