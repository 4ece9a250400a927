package ducklake.spark.predicate

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.spark.types.HiddenNames
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.filter

/** Translates Spark's filters to ours. A filter that our predicates cannot express gives None and
  * is left to Spark, which evaluates every filter again in any case.
  *
  * @param columns the table's top-level columns
  */
final class SparkPredicates(columns: Vector[Column]) {

  /** The filter as our predicate; None when our predicates cannot express it. */
  def translate(predicate: filter.Predicate): Option[Predicate] =
    predicate.name() match {
      case "AND" => both(predicate, Predicate.And.apply)
      case "OR" => both(predicate, Predicate.Or.apply)
      case "NOT" => inner(predicate.children().head).map(Predicate.Not.apply)
      case "IS_NULL" => leaf(predicate.children().head).map(c => Predicate.IsNull(c.id))
      case "IS_NOT_NULL" => leaf(predicate.children().head).map(c => Predicate.IsNotNull(c.id))
      case "ALWAYS_FALSE" => Some(Predicate.False)
      case "IN" => in(predicate)
      case "STARTS_WITH" => startsWith(predicate)
      case "<=>" => nullSafeEqual(predicate)
      case "BOOLEAN_EXPRESSION" => isTrue(predicate)
      case name => comparisons.get(name).flatMap(compare(predicate, _))
    }

  /** Like [[translate]], but the result is also NULL for exactly the rows for which Spark's filter
    * is NULL. An IN with NULL in its list is never false; [[translate]] leaves that NULL out, so
    * this method gives None for such an IN.
    */
  def exact(predicate: filter.Predicate): Option[Predicate] =
    if (hasNullItem(predicate)) None else translate(predicate)

  private def hasNullItem(predicate: filter.Predicate): Boolean = {
    val isInWithNull = predicate.name() == "IN" && predicate.children().exists {
      case literal: Literal[?] => Option(literal.value()).isEmpty
      case _ => false
    }
    isInWithNull || predicate.children().exists {
      case child: filter.Predicate => hasNullItem(child)
      case _ => false
    }
  }

  private val comparisons: Map[String, Comparison] = Map(
    "=" -> Comparison.Equal,
    "<>" -> Comparison.NotEqual,
    "<" -> Comparison.Less,
    "<=" -> Comparison.LessOrEqual,
    ">" -> Comparison.Greater,
    ">=" -> Comparison.GreaterOrEqual,
  )

  private def inner(expression: Expression): Option[Predicate] =
    expression match {
      case predicate: filter.Predicate => translate(predicate)
      case _ => None
    }

  private def both(
      predicate: filter.Predicate,
      combine: (Predicate, Predicate) => Predicate,
  ): Option[Predicate] =
    for {
      left <- inner(predicate.children()(0))
      right <- inner(predicate.children()(1))
    } yield combine(left, right)

  private def compare(predicate: filter.Predicate, operator: Comparison): Option[Predicate] =
    (predicate.children()(0), predicate.children()(1)) match {
      case (reference: NamedReference, literal: Literal[?]) =>
        comparison(reference, operator, literal)
      case (literal: Literal[?], reference: NamedReference) =>
        comparison(reference, operator.flipped, literal)
      case _ => None
    }

  private def comparison(
      reference: NamedReference,
      operator: Comparison,
      literal: Literal[?],
  ): Option[Predicate] =
    for {
      column <- leaf(reference)
      value <- LiteralFromSpark(literal, column.dataType, operator)
    } yield Predicate.Compare(column.id, operator, value)

  /** `a <=> 5` is true or false, never NULL. This makes a difference below NOT, so a test for NULL
    * is added.
    */
  private def nullSafeEqual(predicate: filter.Predicate): Option[Predicate] =
    compare(predicate, Comparison.Equal).collect { case equal: Predicate.Compare =>
      Predicate.And(Predicate.IsNotNull(equal.column), equal)
    }

  private def isTrue(predicate: filter.Predicate): Option[Predicate] =
    leaf(predicate.children().head).filter(_.dataType == LakeType.Bool).map { column =>
      val yes = ducklake.catalog.types.Literal.Bool(value = true)
      Predicate.Compare(column.id, Comparison.Equal, yes)
    }

  /** A NULL in the list never makes IN true, so it can be left out. */
  private def in(predicate: filter.Predicate): Option[Predicate] =
    leaf(predicate.children().head).flatMap { column =>
      val items = predicate.children().tail.toVector.collect { case literal: Literal[?] => literal }
      val present = items.filter(i => Option(i.value()).isDefined)
      val values = present.map(LiteralFromSpark(_, column.dataType, Comparison.Equal))
      if (items.length < predicate.children().length - 1 || values.exists(_.isEmpty)) None
      else if (values.isEmpty) Some(Predicate.False)
      else Some(Predicate.In(column.id, values.flatten))
    }

  private def startsWith(predicate: filter.Predicate): Option[Predicate] =
    (leaf(predicate.children()(0)), predicate.children()(1)) match {
      case (Some(column), literal: Literal[?]) if column.dataType == LakeType.Varchar =>
        LiteralFromSpark(literal, column.dataType, Comparison.Equal).collect {
          case ducklake.catalog.types.Literal.Text(prefix) =>
            Predicate.StartsWith(column.id, prefix)
        }
      case _ => None
    }

  /** The primitive column that a reference names. All its parents are structs. */
  private[predicate] def leaf(expression: Expression): Option[Column] =
    expression match {
      case reference: NamedReference =>
        val names = reference.fieldNames().toList
        names.headOption.flatMap(HiddenNames.ownColumn(columns, _)).flatMap(descend(_, names.tail))
      case _ => None
    }

  private def descend(column: Column, names: List[String]): Option[Column] =
    (column.dataType, names) match {
      case (LakeType.StructType, name :: rest) =>
        Names.find(column.children, name)(_.name).flatMap(descend(_, rest))
      case (_: LakeType.Primitive, Nil) => Some(column)
      case _ => None
    }
}
