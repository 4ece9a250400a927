package ducklake.spark.predicate

import ducklake.catalog.types.Column
import ducklake.catalog.types.TypeText
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.filter

/** Explains to users why a filter chooses no files, so that only Spark evaluates it, row by row. */
final class Untranslated(predicates: SparkPredicates) {

  /** A short sentence about the innermost part that our predicates cannot express.
    *
    * @param predicate a filter that [[SparkPredicates.translate]] cannot express
    */
  def why(predicate: filter.Predicate): String = {
    val operands = predicate.children().toVector
    predicate.name() match {
      case "AND" | "OR" | "NOT" =>
        operands
          .collectFirst {
            case inner: filter.Predicate if predicates.translate(inner).isEmpty => why(inner)
          }
          .getOrElse(ofOperands(operands))
      case name if Untranslated.Decided(name) => ofOperands(operands)
      case _ => "no minimum and maximum can decide it"
    }
  }

  private def ofOperands(operands: Vector[Expression]): String = {
    val references = operands.collect { case reference: NamedReference => reference }
    val others = operands.filter {
      case _: NamedReference | _: Literal[?] => false
      case _ => true
    }
    val columns = references.map(reference => reference -> predicates.leaf(reference))
    others.headOption
      .map(computed => s"$computed is computed for each row")
      .orElse(columns.collectFirst { case (reference, None) =>
        s"$reference has no minimum and maximum"
      })
      .getOrElse(compared(columns.flatMap(_._2)))
  }

  private def compared(columns: Vector[Column]): String = columns match {
    case Vector(column) =>
      s"bounds of ${TypeText.print(column.dataType)} values do not decide this comparison"
    case _ => "it compares no column with a value"
  }
}

private object Untranslated {

  /** The operators that minimum, maximum and the count of NULLs decide. */
  private val Decided: Set[String] =
    Set("=", "<>", "<", "<=", ">", ">=", "<=>", "IN", "IS_NULL", "IS_NOT_NULL", "STARTS_WITH") +
      "BOOLEAN_EXPRESSION"
}
