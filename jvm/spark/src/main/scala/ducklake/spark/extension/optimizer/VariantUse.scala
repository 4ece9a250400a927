package ducklake.spark.extension.optimizer

import ducklake.spark.sparkapi.sql.VariantExtraction
import ducklake.spark.sparkapi.sql.VariantStep
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.EvalMode
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.GetStructField
import org.apache.spark.sql.catalyst.expressions.IsNotNull
import org.apache.spark.sql.catalyst.expressions.IsNull
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.VariantType

/** What an expression needs of a variant column. */
private[optimizer] sealed trait VariantUse

private[optimizer] object VariantUse {

  /** The whole variant. */
  case object Whole extends VariantUse

  /** Whether there is a variant. */
  case object Presence extends VariantUse

  /** A value at a path. */
  final case class Value(extraction: VariantExtraction) extends VariantUse

  /** The column of a scan that shows values in place of a variant. */
  final case class Shown(column: AttributeReference, values: Vector[VariantExtraction])

  object Shown {

    /** The column for a variant column, with a new id, because it has another type. */
    def of(variant: AttributeReference, values: Vector[VariantExtraction]): Shown = {
      val column = AttributeReference(
        variant.name,
        VariantExtraction.struct(values),
        variant.nullable,
        variant.metadata,
      )(qualifier = variant.qualifier)
      Shown(column, values)
    }
  }

  /** What the expression needs of variant columns, with the ids of the columns. */
  def in(expression: Expression): Seq[(ExprId, VariantUse)] =
    expression match {
      case Extracted(column, extraction, _) => Seq(column.exprId -> Value(extraction))
      case IsNull(Variant(column)) => Seq(column.exprId -> Presence)
      case IsNotNull(Variant(column)) => Seq(column.exprId -> Presence)
      case Variant(column) => Seq(column.exprId -> Whole)
      case other => other.children.flatMap(in)
    }

  /** The expression over the columns that show values in place of variants. */
  def replaced(expression: Expression, shown: Map[ExprId, Shown]): Expression =
    expression.transformDown {
      case Extracted(column, extraction, finish) if shown.contains(column.exprId) =>
        val in = shown(column.exprId)
        finish(GetStructField(in.column, in.values.indexOf(extraction)))
      case Variant(column) if shown.contains(column.exprId) => shown(column.exprId).column
    }

  private object Variant {
    def unapply(expression: Expression): Option[Attribute] = expression match {
      case column: Attribute if column.dataType == VariantType => Some(column)
      case _ => None
    }
  }

  /** An expression that takes a value from a variant column: the column, what the scan extracts, and
    * what is left to do with it.
    */
  private object Extracted {
    def unapply(
        expression: Expression
    ): Option[(Attribute, VariantExtraction, Expression => Expression)] =
      expression match {
        case get @ VariantGet(Variant(column), path, _, fails, Some(zone)) if path.foldable =>
          Option(path.eval()).map(_.toString).filter(VariantStep.parse(_).nonEmpty).map { steps =>
            value(column, steps, get.dataType, fails, zone)
          }
        case cast @ Cast(Variant(column), target, Some(zone), _)
            if VariantExtraction.isTarget(target) =>
          val fails = cast.evalMode != EvalMode.TRY
          Some(value(column, whole, target, fails, zone))
        case _ => None
      }
  }

  private val whole = "$"

  private def value(
      column: Attribute,
      path: String,
      target: DataType,
      failsOnError: Boolean,
      zone: String,
  ): (Attribute, VariantExtraction, Expression => Expression) =
    if (VariantExtraction.isTarget(target))
      (column, VariantExtraction(path, target, failsOnError, zone), identity)
    else {
      val variant = VariantExtraction(path, VariantType, failsOnError, zone)
      val all = Literal.create(whole, StringType)
      (column, variant, VariantGet(_, all, target, failsOnError, Some(zone)))
    }
}
