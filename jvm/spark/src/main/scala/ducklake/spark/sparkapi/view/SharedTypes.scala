package ducklake.spark.sparkapi.view

import org.apache.spark.sql.catalyst.expressions.Abs
import org.apache.spark.sql.catalyst.expressions.Add
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.BinaryArithmetic
import org.apache.spark.sql.catalyst.expressions.BinaryComparison
import org.apache.spark.sql.catalyst.expressions.CaseWhen
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Coalesce
import org.apache.spark.sql.catalyst.expressions.CommonExpressionDef
import org.apache.spark.sql.catalyst.expressions.CommonExpressionRef
import org.apache.spark.sql.catalyst.expressions.Concat
import org.apache.spark.sql.catalyst.expressions.DayOfMonth
import org.apache.spark.sql.catalyst.expressions.DenseRank
import org.apache.spark.sql.catalyst.expressions.Divide
import org.apache.spark.sql.catalyst.expressions.Exists
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.GetStructField
import org.apache.spark.sql.catalyst.expressions.Greatest
import org.apache.spark.sql.catalyst.expressions.Hour
import org.apache.spark.sql.catalyst.expressions.If
import org.apache.spark.sql.catalyst.expressions.In
import org.apache.spark.sql.catalyst.expressions.InSubquery
import org.apache.spark.sql.catalyst.expressions.IsNotNull
import org.apache.spark.sql.catalyst.expressions.IsNull
import org.apache.spark.sql.catalyst.expressions.Least
import org.apache.spark.sql.catalyst.expressions.Length
import org.apache.spark.sql.catalyst.expressions.Like
import org.apache.spark.sql.catalyst.expressions.ListQuery
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.Minute
import org.apache.spark.sql.catalyst.expressions.Month
import org.apache.spark.sql.catalyst.expressions.Multiply
import org.apache.spark.sql.catalyst.expressions.Not
import org.apache.spark.sql.catalyst.expressions.Or
import org.apache.spark.sql.catalyst.expressions.OuterReference
import org.apache.spark.sql.catalyst.expressions.Quarter
import org.apache.spark.sql.catalyst.expressions.Rank
import org.apache.spark.sql.catalyst.expressions.Remainder
import org.apache.spark.sql.catalyst.expressions.RowFrame
import org.apache.spark.sql.catalyst.expressions.RowNumber
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.SpecialFrameBoundary
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame
import org.apache.spark.sql.catalyst.expressions.StringReplace
import org.apache.spark.sql.catalyst.expressions.Subtract
import org.apache.spark.sql.catalyst.expressions.UnaryMinus
import org.apache.spark.sql.catalyst.expressions.WindowExpression
import org.apache.spark.sql.catalyst.expressions.WindowSpecDefinition
import org.apache.spark.sql.catalyst.expressions.With
import org.apache.spark.sql.catalyst.expressions.Year
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.Average
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.expressions.aggregate.Min
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.DoubleType
import org.apache.spark.sql.types.FloatType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType

/** Whether expressions of an analyzed plan give the same values in DuckDB and in Spark, by their
  * types.
  *
  * Source: DuckDB 1.5.5, observed, tests/e2e/test_foreign_views.py.
  *
  * @param converted attributes that may only be passed on, because their values differ in Spark
  * @param unsigned attributes with which DuckDB calculates without a sign
  */
private[view] final class SharedTypes(converted: Set[ExprId], unsigned: Set[ExprId]) {

  /** The part of a SELECT list's item that may give another value. None when all is the same. */
  def doubtInItem(item: Expression): Option[Expression] =
    item match {
      case alias: Alias => doubtInItem(alias.child)
      case _: Attribute | _: OuterReference | _: ScalarSubquery => None
      case other => doubtIn(other)
    }

  /** The same for the condition of a WHERE or HAVING. Outside of these conditions, `IN (SELECT …)`
    * is false in Spark where it is NULL in DuckDB.
    */
  def doubtInCondition(condition: Expression): Option[Expression] =
    condition match {
      case And(left, right) => doubtInCondition(left).orElse(doubtInCondition(right))
      case query: InSubquery => query.children.flatMap(doubtIn).headOption
      case Not(query: InSubquery) => query.children.flatMap(doubtIn).headOption
      case other => doubtIn(other)
    }

  /** The same for an expression whose value is used. */
  def doubtIn(expression: Expression): Option[Expression] = doubtIn(expression, isCompared = false)

  /** Whether the values of a column can be compared as in DuckDB. */
  def isComparable(attribute: Attribute): Boolean =
    !converted(attribute.exprId) && isComparable(attribute.dataType)

  private def doubtIn(expression: Expression, isCompared: Boolean): Option[Expression] =
    expression match {
      case attribute: Attribute => Option.when(!isComparable(attribute))(attribute)
      case OuterReference(attribute: Attribute) => Option.when(!isComparable(attribute))(attribute)
      case IsNull(_: Attribute) | IsNotNull(_: Attribute) => None
      case aggregate: AggregateExpression if countsColumns(aggregate) =>
        aggregate.filter.flatMap(doubtIn)
      case field: GetStructField => Option.when(!isShared(field))(field)
      case query: ScalarSubquery => query.plan.output.headOption.filterNot(isComparable)
      case query: ListQuery => query.plan.output.find(!isComparable(_))
      case _: Exists => None
      case replaced: RuntimeReplaceable => doubtIn(replaced.replacement, isCompared)
      case frame: SpecifiedWindowFrame => Option.when(!isShared(frame))(frame)
      case cast: Cast if !SharedCasts.isShared(cast, isCompared) => Some(cast)
      case other if !isShared(other) => Some(other)
      case other =>
        val compares = isComparison(other)
        other.children.flatMap(doubtIn(_, compares)).headOption
    }

  /** Whether the aggregate only tests columns for NULL. */
  private def countsColumns(aggregate: AggregateExpression): Boolean =
    aggregate.aggregateFunction match {
      case count: Count => !aggregate.isDistinct && count.children.forall(_.isInstanceOf[Attribute])
      case _ => false
    }

  private def isComparison(expression: Expression): Boolean =
    expression match {
      case _: BinaryComparison | _: In => true
      case _ => false
    }

  private def isShared(expression: Expression): Boolean =
    expression match {
      case literal: Literal => isComparable(literal.dataType)
      case _: Cast | _: Alias => true
      case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull => true
      case _: BinaryComparison | _: In => true
      case _: CaseWhen | _: If | _: Coalesce | _: Greatest | _: Least => true
      case _: With | _: CommonExpressionDef => true
      case repeated: CommonExpressionRef => isComparable(repeated.dataType)
      case aggregate: AggregateExpression => isSharedAggregate(aggregate)
      case _: Count | _: Min | _: Max | _: Sum | _: Average => true
      case _: SortOrder | _: WindowExpression | _: WindowSpecDefinition => true
      case _: RowNumber | _: Rank | _: DenseRank => true
      case _: Year | _: Quarter | _: Month | _: DayOfMonth | _: Hour | _: Minute => true
      case _: Length | _: StringReplace | _: Like | _: Concat =>
        expression.children.forall(_.dataType == StringType)
      case other => isSharedArithmetic(other)
    }

  /** A field of a struct none of whose parts is converted. */
  private def isShared(field: GetStructField): Boolean =
    isComparable(field.dataType) && (field.child match {
      case attribute: Attribute => !converted(attribute.exprId)
      case _ => false
    })

  /** A frame with a distance is shared when it counts rows. */
  private def isShared(frame: SpecifiedWindowFrame): Boolean =
    frame.frameType == RowFrame ||
      Seq(frame.lower, frame.upper).forall(_.isInstanceOf[SpecialFrameBoundary])

  /** DuckDB has `+ - *` of TINYINT, SMALLINT and unsigned integers with a constant in these types,
    * and raises where Spark gives an INT; `-` of an unsigned integer wraps. Its `/` gives a DOUBLE
    * for decimals too, and so does `%` of a decimal and a sum of integers.
    */
  private def isSharedArithmetic(expression: Expression): Boolean =
    expression match {
      case remainder: Remainder =>
        isSharedOperation(remainder) && !remainder.children.exists(becomesDecimal)
      case _: Add | _: Subtract | _: Multiply =>
        isSharedOperation(expression) && !TypedColumns.holdsAny(expression, unsigned)
      case _: UnaryMinus =>
        expression.children.forall(child => isNumber(child.dataType)) &&
        !TypedColumns.holdsAny(expression, unsigned)
      case _: Abs => expression.children.forall(child => isNumber(child.dataType))
      case divide: Divide => divide.dataType == DoubleType
      case _ => false
    }

  private def isSharedOperation(expression: Expression): Boolean =
    expression.children.forall(child => !isShort(child) && isNumber(child.dataType)) &&
      !isTrimmed(expression)

  /** Whether Spark made a decimal of an integer that is not a constant. */
  private def becomesDecimal(operand: Expression): Boolean =
    operand match {
      case Cast(_: Literal, _, _, _) => false
      case Cast(child, _: DecimalType, _, _) => !child.dataType.isInstanceOf[DecimalType]
      case _ => false
    }

  private def isShort(operand: Expression): Boolean =
    operand match {
      case cast: Cast if cast.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty =>
        isShort(cast.child)
      case other => other.dataType == ByteType || other.dataType == ShortType
    }

  /** Whether the exact result has more than 38 digits. Spark then drops digits after the point, and
    * DuckDB keeps them or raises.
    */
  private def isTrimmed(expression: Expression): Boolean =
    (expression, expression.children.map(_.dataType)) match {
      case (_: Multiply, Seq(left: DecimalType, right: DecimalType)) =>
        left.precision + right.precision + 1 > DecimalType.MAX_PRECISION
      case (_: BinaryArithmetic, Seq(left: DecimalType, right: DecimalType)) =>
        val whole = (left.precision - left.scale).max(right.precision - right.scale)
        whole + left.scale.max(right.scale) + 1 > DecimalType.MAX_PRECISION
      case _ => false
    }

  /** DuckDB adds up the integers of `avg` exactly, and Spark as DOUBLE. */
  private def isSharedAggregate(aggregate: AggregateExpression): Boolean =
    aggregate.aggregateFunction match {
      case average: Average =>
        average.child.dataType match {
          case ByteType | ShortType | IntegerType | DoubleType => true
          case _ => false
        }
      case sum: Sum => isNumber(sum.child.dataType) && sum.child.dataType != FloatType
      case _ => true
    }

  private def isNumber(dataType: DataType): Boolean =
    dataType match {
      case ByteType | ShortType | IntegerType | LongType => true
      case FloatType | DoubleType | _: DecimalType => true
      case _ => false
    }

  private def isComparable(dataType: DataType): Boolean =
    dataType match {
      case StringType | BinaryType | BooleanType | NullType => true
      case DateType | TimestampNTZType | TimestampType => true
      case number => isNumber(number)
    }
}
