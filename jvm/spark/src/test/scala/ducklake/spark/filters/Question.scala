package ducklake.spark.filters

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions as catalyst
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.connector.expressions.filter
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

import scala.util.Random

/** A filter of the column `c`, as Spark hands it over and as Spark itself evaluates it.
  *
  * @param asked what is handed over
  * @param evaluated over rows of one value
  */
final case class Question(asked: filter.Predicate, evaluated: catalyst.Expression) {

  def isTrue(value: Any): Boolean = evaluated.eval(InternalRow(value)) == true

  def not: Question = Question(new filter.Not(asked), catalyst.Not(evaluated))

  def and(other: Question): Question =
    Question(
      new filter.And(asked, other.asked),
      catalyst.And(evaluated, other.evaluated),
    )

  def or(other: Question): Question =
    Question(new filter.Or(asked, other.asked), catalyst.Or(evaluated, other.evaluated))
}

object Question {

  /** Simple filters of a column of this type with these literals, in Spark's internal form. */
  def leaves(dataType: DataType, literals: Vector[Any]): Vector[Question] = {
    val about = new About(dataType)
    val lists = Vector(literals.take(1), literals.takeRight(2), literals.take(40), literals :+ null)
    about.ofNull ++ literals.flatMap(about.ofLiteral) ++ lists.map(about.in) ++
      literals.zip(literals.drop(1)).map { case (from, to) => about.between(from, to) }
  }

  /** Random ones of three levels. */
  def nested(leaves: Vector[Question], random: Random): Question = {
    def leaf: Question = leaves(random.nextInt(leaves.size))
    def tree(depth: Int): Question =
      if (depth == 0) leaf
      else
        random.nextInt(4) match {
          case 0 => tree(depth - 1).not
          case 1 => tree(depth - 1).and(tree(depth - 1))
          case 2 => tree(depth - 1).or(tree(depth - 1))
          case _ => leaf
        }
    tree(3)
  }

  private final case class Given(value: Any, dataType: DataType) extends Literal[Any] {
    override def children(): Array[Expression] = Array.empty
  }

  private final class About(dataType: DataType) {

    private val column: Expression = Expressions.column("c")
    private val value = catalyst.BoundReference(0, dataType, nullable = true)

    private def constantOf(literal: Any): Expression = Given(literal, dataType)

    private def constant(literal: Any): catalyst.Expression = catalyst.Literal(literal, dataType)

    private def asked(name: String, parts: Expression*): filter.Predicate =
      new filter.Predicate(name, parts.toArray)

    def ofNull: Vector[Question] =
      Vector(
        Question(asked("IS_NULL", column), catalyst.IsNull(value)),
        Question(asked("IS_NOT_NULL", column), catalyst.IsNotNull(value)),
      )

    def ofLiteral(literal: Any): Vector[Question] =
      Vector[(String, (catalyst.Expression, catalyst.Expression) => catalyst.Expression)](
        "=" -> catalyst.EqualTo.apply,
        "<=>" -> catalyst.EqualNullSafe.apply,
        "<>" -> ((left, right) => catalyst.Not(catalyst.EqualTo(left, right))),
        "<" -> catalyst.LessThan.apply,
        "<=" -> catalyst.LessThanOrEqual.apply,
        ">" -> catalyst.GreaterThan.apply,
        ">=" -> catalyst.GreaterThanOrEqual.apply,
      ).map { case (name, make) =>
        Question(asked(name, column, constantOf(literal)), make(value, constant(literal)))
      } ++ startsWith(literal)

    private def startsWith(literal: Any): Vector[Question] =
      literal match {
        case text: UTF8String =>
          val start = text.substring(0, 2)
          val question = Question(
            asked("STARTS_WITH", column, constantOf(start)),
            catalyst.StartsWith(value, constant(start)),
          )
          Vector(question, question.not)
        case _ => Vector.empty
      }

    def in(literals: Vector[Any]): Question =
      Question(
        asked("IN", (column +: literals.map(constantOf))*),
        catalyst.In(value, literals.map(constant)),
      )

    def between(from: Any, to: Any): Question =
      Question(
        asked(">=", column, constantOf(from)),
        catalyst.GreaterThanOrEqual(value, constant(from)),
      ).and(
        Question(asked("<=", column, constantOf(to)), catalyst.LessThanOrEqual(value, constant(to)))
      )
  }
}
