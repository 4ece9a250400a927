package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeBound
import ducklake.spark.errors.SparkErrors
import ducklake.spark.procedures.FeedBounds
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

import java.time.Instant
import java.time.temporal.ChronoUnit

/** A parameter of a table function.
  *
  * @param typeOf the type to which an argument of a type is cast
  */
private[extension] final case class Parameter(
    name: String,
    typeOf: DataType => DataType,
    required: Boolean,
)

private[extension] object Parameter {
  def required(name: String, dataType: DataType): Parameter =
    Parameter(name, _ => dataType, required = true)

  def optional(name: String, dataType: DataType): Parameter =
    Parameter(name, _ => dataType, required = false)

  /** An end of a change feed: a snapshot's id or name, or a timestamp. */
  def bound(name: String): Parameter = Parameter(name, FeedBounds.typeOf, required = true)
}

/** The evaluated arguments of a table function, by parameter name. Omitted arguments are absent; no
  * argument is NULL.
  */
private[extension] final class SuppliedArguments(values: Map[String, (Any, DataType)]) {

  /** The text of a required argument. */
  def required(name: String): String = values(name)._1.toString

  def text(name: String): Option[String] = values.get(name).map(_._1.toString)

  def long(name: String): Option[Long] = values.get(name).collect { case (v: Long, _) => v }

  /** The end of a change feed in a required argument. */
  def bound(name: String): ChangeBound = values(name) match {
    case (value: Long, dataType) => FeedBounds.of(value, dataType)
    case (text: UTF8String, _) => FeedBounds.of(text.toString)
    case (value, dataType) => throw new IllegalStateException(s"$name: $value of type $dataType")
  }

  def instant(name: String): Option[Instant] =
    long(name).map(micros => Instant.EPOCH.plus(micros, ChronoUnit.MICROS))
}

private[extension] object SuppliedArguments {

  /** Reads the positional arguments, then the named arguments.
    *
    * Errors: InvalidArgument, also for a NULL argument: if it were treated as omitted, the function
    * would answer another question.
    */
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
    new SuppliedArguments(supplied.map { case (parameter, expression) =>
      val value = evaluate(expression, parameter.typeOf)
      parameter.name -> value.getOrElse(fail(function, parameter.name, "is NULL"))
    }.toMap)
  }

  private def evaluate(
      expression: Expression,
      typeOf: DataType => DataType,
  ): Option[(Any, DataType)] =
    expression match {
      case literal: Literal =>
        val dataType = typeOf(literal.dataType)
        val cast = Cast(literal, dataType, Some(SQLConf.get.sessionLocalTimeZone))
        if (cast.resolved) Option(cast.eval()).map(_ -> dataType) else planned(literal, typeOf)
      case other => planned(other, typeOf)
    }

  /** Evaluates an argument by Spark's own planning, which knows the functions of time and the
    * session's time zone. Most arguments are a literal after planning; others need a job.
    */
  private def planned(
      expression: Expression,
      typeOf: DataType => DataType,
  ): Option[(Any, DataType)] = {
    val state = SparkSession.active.sessionState
    val plan = Project(Seq(Alias(expression, "value")()), OneRowRelation())
    val analyzed = state.executePlan(plan).analyzed
    val dataType = typeOf(analyzed.output.head.dataType)
    val cast = Project(Seq(Alias(Cast(analyzed.output.head, dataType), "value")()), analyzed)
    val query = state.executePlan(cast)
    val value = query.optimizedPlan match {
      case Project(Seq(Alias(literal: Literal, _)), _) => Option(literal.value)
      case _ =>
        val row = query.executedPlan.executeCollect().head
        Option.unless(row.isNullAt(0))(row.get(0, dataType))
    }
    value.map(_ -> dataType)
  }

  private def fail(function: String, argument: String, why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument(function, argument, why))
}
