package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.DataType

import java.time.Instant
import java.time.temporal.ChronoUnit

/** A parameter of a table function. */
private[extension] final case class Parameter(name: String, dataType: DataType, required: Boolean)

private[extension] object Parameter {
  def required(name: String, dataType: DataType): Parameter =
    Parameter(name, dataType, required = true)

  def optional(name: String, dataType: DataType): Parameter =
    Parameter(name, dataType, required = false)
}

/** The evaluated arguments of a table function, by parameter name. Arguments that are NULL or left
  * out are absent.
  */
private[extension] final class SuppliedArguments(values: Map[String, Any]) {

  def text(name: String): Option[String] = values.get(name).map(_.toString)

  def long(name: String): Option[Long] = values.get(name).collect { case v: Long => v }

  def instant(name: String): Option[Instant] =
    long(name).map(micros => Instant.EPOCH.plus(micros, ChronoUnit.MICROS))
}

private[extension] object SuppliedArguments {

  /** Reads the positional arguments, then the named arguments. Errors: InvalidArgument. */
  def read(
      function: String,
      parameters: Vector[Parameter],
      expressions: Seq[Expression],
  ): SuppliedArguments = {
    val (named, positional) = expressions.toVector.partitionMap {
      case argument: NamedArgumentExpression => Left(argument)
      case other => Right(other)
    }
    if (positional.length > parameters.length)
      fail(function, s"#${parameters.length + 1}", "is one too many")
    val byPosition = parameters.zip(positional)
    val byName = named.map { argument =>
      parameters.find(_.name.equalsIgnoreCase(argument.key)).map(_ -> argument.value).getOrElse {
        val known = parameters.map(_.name).mkString(", ")
        fail(function, argument.key, s"is not known; known are $known")
      }
    }
    val supplied = byPosition ++ byName
    supplied.map(_._1.name).diff(parameters.map(_.name)).headOption.foreach { twice =>
      fail(function, twice, "is given twice")
    }
    parameters.filter(_.required).find(p => !supplied.exists(_._1 == p)).foreach { p =>
      fail(function, p.name, "is missing")
    }
    new SuppliedArguments(supplied.flatMap { case (parameter, expression) =>
      evaluate(expression, parameter.dataType).map(parameter.name -> _)
    }.toMap)
  }

  /** Evaluates an argument by Spark's own planning, which knows the functions of time and the
    * session's time zone.
    */
  private def evaluate(expression: Expression, dataType: DataType): Option[Any] = {
    val plan = Project(Seq(Alias(Cast(expression, dataType), "value")()), OneRowRelation())
    val rows = SparkSession.active.sessionState.executePlan(plan).executedPlan.executeCollect()
    Option.unless(rows.head.isNullAt(0))(rows.head.get(0, dataType))
  }

  private def fail(function: String, argument: String, why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument(function, argument, why))
}
