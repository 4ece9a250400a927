package ducklake.spark.sparkapi.sql

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.expression.DefaultSql
import ducklake.catalog.types.expression.PortableDefault
import ducklake.catalog.types.expression.PortableDefault.MomentKind
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Add
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Concat
import org.apache.spark.sql.catalyst.expressions.CurrentDate
import org.apache.spark.sql.catalyst.expressions.CurrentTimestamp
import org.apache.spark.sql.catalyst.expressions.Divide
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal as SparkLiteral
import org.apache.spark.sql.catalyst.expressions.LocalTimestamp
import org.apache.spark.sql.catalyst.expressions.Multiply
import org.apache.spark.sql.catalyst.expressions.Remainder
import org.apache.spark.sql.catalyst.expressions.Subtract
import org.apache.spark.sql.catalyst.expressions.UnaryMinus
import org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.catalyst.util.SparkParserUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.NullType

import java.util.Locale

/** Reads the SQL text of a column's default.
  *
  * @param typeOf the DuckLake type for a Spark type; None where there is no primitive type for it
  * @param literalOf the literal of a type for a value in Spark's internal form; None for a value
  *   that the type does not have
  */
final class DefaultExpressions(
    typeOf: DataType => Option[LakeType.Primitive],
    literalOf: (Any, LakeType.Primitive) => Option[Literal],
) {
  import DefaultExpressions.Reading

  /** Throws Spark's own errors for a text that is not an expression or not of the type. An
    * expression that depends on the time or the user is not evaluated if it has no term.
    */
  def read(sql: String, dataType: DataType): Reading = {
    val session = SparkSession.active
    val expression = parsed(sql)
    val plan = Project(Seq(Alias(Cast(expression, dataType), "value")()), OneRowRelation())
    val analyzed = session.sessionState.executePlan(plan).analyzed
    val isMomentary = analyzed.containsPattern(TreePattern.CURRENT_LIKE)
    val found = term(expression)
    val value = if (isMomentary && found.isEmpty) None else valueOf(analyzed)
    Reading(found, value, isMomentary)
  }

  /** The expression of DuckDB in a default that Spark cannot express; None for other defaults. A
    * table that is created from the columns of another table can have it.
    */
  def onlyInDuckDb(sql: String): Option[String] =
    withoutCast(parsed(sql)) match {
      case UnresolvedFunction(Seq("raise_error"), Seq(message: SparkLiteral), _, _, _, _, _) =>
        DefaultSql.ofMessage(withoutEscapes(message.toString))
      case _ => None
    }

  /** The text of a constant, in which this setting leaves the escapes. */
  private def withoutEscapes(text: String): String =
    if (SQLConf.get.escapedStringLiterals) SparkParserUtils.unescapeSQLString(s"'$text'") else text

  private def withoutCast(expression: Expression): Expression =
    expression match {
      case Cast(child, _, _, _) => child
      case other => other
    }

  private def parsed(sql: String): Expression =
    SparkSession.active.sessionState.sqlParser.parseExpression(sql)

  /** The value of a default. Spark has checked before that it can be folded. */
  private def valueOf(analyzed: LogicalPlan): Option[Any] =
    ReplaceExpressions(ComputeCurrentTime(analyzed)) match {
      case Project(Seq(Alias(folded, _)), _) => Option[Any](folded.eval())
      case other => throw new IllegalStateException(s"not one value: $other")
    }

  private def term(expression: Expression): Option[PortableDefault] =
    expression match {
      case SparkLiteral(_, NullType) => None
      case SparkLiteral(value, dataType) => constant(value, dataType)
      case UnaryMinus(child, _) => term(child).map(PortableDefault.Negated(_))
      case Add(left, right, _) => operation(left, "+", right)
      case Subtract(left, right, _) => operation(left, "-", right)
      case Multiply(left, right, _) => operation(left, "*", right)
      case Divide(left, right, _) => operation(left, "/", right)
      case Remainder(left, right, _) => operation(left, "%", right)
      case Concat(parts) if parts.length > 1 =>
        parts.map(term).reduceLeft { (left, right) =>
          for {
            before <- left
            behind <- right
          } yield PortableDefault.Operation(before, "||", behind)
        }
      case Cast(child, dataType, _, _) =>
        for {
          inner <- term(child)
          to <- typeOf(dataType)
        } yield PortableDefault.Cast(inner, to)
      case call: UnresolvedFunction if isBare(call) => call.nameParts.headOption.flatMap(moment)
      case attribute: UnresolvedAttribute if attribute.nameParts.length == 1 =>
        moment(attribute.nameParts.head)
      case _: CurrentDate => moment("current_date")
      case _: CurrentTimestamp => moment("current_timestamp")
      case _: LocalTimestamp => moment("localtimestamp")
      case _ => None
    }

  /** Whether the call has a name without dots and nothing else. */
  private def isBare(call: UnresolvedFunction): Boolean =
    call.nameParts.length == 1 &&
      call == UnresolvedFunction(call.nameParts, Seq.empty, isDistinct = false)

  private def operation(left: Expression, operator: String, right: Expression) =
    for {
      before <- term(left)
      behind <- term(right)
    } yield PortableDefault.Operation(before, operator, behind)

  private def constant(value: Any, dataType: DataType): Option[PortableDefault] =
    for {
      lakeType <- typeOf(dataType)
      nonNull <- Option(value)
      found <- literalOf(nonNull, lakeType)
    } yield PortableDefault.Constant(found, lakeType)

  private def moment(name: String): Option[PortableDefault] =
    PartialFunction
      .condOpt(name.toLowerCase(Locale.ROOT)) {
        case "current_date" | "curdate" => MomentKind.Date
        case "current_timestamp" => MomentKind.Instant
        case "now" => MomentKind.Now
        case "localtimestamp" => MomentKind.LocalTime
      }
      .map(PortableDefault.Moment(_))
}

object DefaultExpressions {

  /** The meaning of the SQL text of a default.
    *
    * @param term the default's expression, where it means the same in DuckDB
    * @param value the value at this time, in Spark's internal form; None for NULL
    * @param isMomentary whether the value depends on the time or on the user
    */
  final case class Reading(term: Option[PortableDefault], value: Option[Any], isMomentary: Boolean)
}
