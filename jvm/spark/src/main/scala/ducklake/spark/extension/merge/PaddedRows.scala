package ducklake.spark.extension.merge

import ducklake.spark.extension.RowLevelScans
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.MergeRows
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.write.RowLevelOperation.Command.DELETE

/** Lets row-level statements find texts that DuckDB wrote into CHAR columns without the spaces
  * behind them. Spark forgets the lengths of an UPDATE's columns, and of those of a MERGE that
  * updates rows, before it pads the texts of scans; of a DELETE it pads the scan. Spark 4.0 rewrites
  * the statements only later, so that [[PaddedTargets]] pads their expressions.
  *
  * Conditions and new values read padded texts. A column that the statement does not set keeps its
  * text.
  */
object PaddedRows extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteDelta if RowLevelScans.isOurs(write) && !isPadded(write) =>
      write.copy(query = padded(write.query, paddingOf(write)))
    case other => other
  }

  private def isPadded(write: WriteDelta): Boolean =
    RowLevelScans.operation(write).exists(_.command == DELETE)

  private def paddingOf(write: WriteDelta): CharPadding =
    write.query.collectFirst(Function.unlift(RowLevelScans.targetTable)).fold(CharPadding.none) {
      table => CharPadding.of(table, write.originalTable.output)
    }

  private def padded(query: LogicalPlan, padding: CharPadding): LogicalPlan = query.transformUp {
    case project: Project =>
      project.mapExpressions {
        case alias: Alias => alias.mapChildren(newValue(_, alias.name, padding))
        case column: Attribute => column
        case other => padding.in(other)
      }
    case merge: MergeRows =>
      merge.mapExpressions {
        case instruction: MergeRows.Instruction => padded(instruction, merge.output, padding)
        case other => padding.in(other)
      }
    case node @ (_: Filter | _: Join) => node.mapExpressions(padding.in)
  }

  private def padded(
      instruction: MergeRows.Instruction,
      columns: Seq[Attribute],
      padding: CharPadding,
  ): Expression = {
    val values = instruction.children.tail.zipWithIndex.map { case (value, place) =>
      newValue(value, columns(place % columns.size).name, padding)
    }
    instruction.withNewChildren(padding.in(instruction.condition) +: values)
  }

  /** The value that a column gets; the column itself when the statement does not set it. */
  private def newValue(value: Expression, column: String, padding: CharPadding): Expression =
    value match {
      case kept: Attribute if kept.name == column => kept
      case other => padding.in(other)
    }
}
