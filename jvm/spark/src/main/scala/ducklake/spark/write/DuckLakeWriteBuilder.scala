package ducklake.spark.write

import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.error.LakeError
import ducklake.catalog.option.OptionRules
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.WriteTarget
import ducklake.spark.sparkapi.catalog.TableQueries
import ducklake.spark.sparkapi.sql.ConditionText
import ducklake.spark.types.SparkColumns
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.SupportsDynamicOverwrite
import org.apache.spark.sql.connector.write.SupportsOverwriteV2
import org.apache.spark.sql.connector.write.Write
import org.apache.spark.sql.connector.write.WriteBuilder
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** Collects the rows that a write replaces, from Spark's calls and from the options of the write.
  *
  * @param stream how the write runs as an epoch of a stream; None when it never does
  */
final class DuckLakeWriteBuilder(
    target: WriteTarget,
    info: LogicalWriteInfo,
    stream: OverwriteMode => Option[StreamForm] = _ => None,
) extends WriteBuilder
    with SupportsOverwriteV2
    with SupportsDynamicOverwrite {

  private val rowOptions: RowOptions = onDriver(new RowOptions(info.options()))

  // Spark calls the builder's methods one after another, on one thread.
  private var mode: OverwriteMode = OverwriteMode.Nothing

  /** Sets the rows to replace. A table that the commit creates has no rows to replace. */
  private def withMode(rows: OverwriteMode): WriteBuilder = {
    target.table match {
      case TableTarget.Existing(_) => mode = rows
      case TableTarget.Created(_) => ()
    }
    this
  }

  override def truncate(): WriteBuilder = withMode(OverwriteMode.Everything)

  /** Always true, because [[overwrite]] refuses a condition that is not supported. Its error names
    * the condition; Spark's own error would not.
    */
  override def canOverwrite(predicates: Array[Predicate]): Boolean = true

  override def overwrite(predicates: Array[Predicate]): WriteBuilder = onDriver {
    predicates.find(predicate => !TableQueries.canEvaluate(predicate)).foreach { predicate =>
      refuseCondition(predicate.toString)
    }
    withMode(OverwriteMode.of(predicates.toVector))
  }

  private def refuseCondition(condition: String): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"Overwriting the rows of ${target.layout.name} where $condition",
        "Use comparisons of columns with values, IN, LIKE, IS NULL, AND, OR and NOT; or DELETE the " +
          "rows and INSERT the new ones.",
      )
    )

  override def overwriteDynamicPartitions(): WriteBuilder = onDriver {
    refuseGaps()
    withMode(OverwriteMode.Partitions)
  }

  /** Refuses parts of a date without the greater parts. `month(ts)` alone mixes years: to replace
    * the rows of a month would also replace rows of other years.
    *
    * Source: jvm/docs/writing.md, "Inserts and overwrites".
    */
  private def refuseGaps(): Unit = {
    val byColumn = target.layout.partition.groupMap(_.column)(_.transform)
    byColumn.foreach { case (column, transforms) =>
      val units = Transform.units.map(transforms.contains(_))
      val hasGap = units.dropWhile(identity).contains(true)
      if (hasGap && !isTimeOfDay(column))
        SparkErrors.raise(
          LakeError.Unsupported(
            s"Dynamic overwrite of ${target.layout.name}, which is partitioned by parts of a date " +
              "without the greater ones (such as month without year),",
            "Overwrite with a condition (REPLACE WHERE), or partition by year, month, day, hour in " +
              "this order.",
          )
        )
    }
  }

  private def isTimeOfDay(column: ColumnId): Boolean =
    target.layout.columns.find(_.id == column).map(_.dataType).exists {
      case LakeType.Time | LakeType.TimeNs | LakeType.TimeTz => true
      case _ => false
    }

  /** Builds the write. Rows that the options replace are treated as if the statement named them. */
  override def build(): Write = onDriver {
    target.table match {
      case TableTarget.Created(_) => ()
      case TableTarget.Existing(_) =>
        rowOptions.requested(mode) match {
          case RowOptions.OfStatement => ()
          case RowOptions.Where(text) => val _ = overwrite(predicates(text))
          case RowOptions.OfPartitions => val _ = overwriteDynamicPartitions()
        }
    }
    refuseIsolation()
    new DuckLakeWrite(target, mode, info, stream(mode))
  }

  /** Refuses the isolation level in a write that replaces no rows. */
  private def refuseIsolation(): Unit = {
    val key = OptionRules.IsolationLevel.key
    if (mode == OverwriteMode.Nothing && info.options().containsKey(key))
      SparkErrors.raise(
        LakeError.InvalidSetting(
          key,
          "is given to a write that replaces no rows of a table",
          "Leave it out: an append conflicts with no rows of others.",
        )
      )
  }

  private def predicates(text: String): Array[Predicate] = {
    val fields = SparkColumns
      .of(target.layout.columns, target.session.timeRule, TextLengths.none)
      .map(column => StructField(column.name, column.dataType, column.nullable))
    ConditionText.predicates(text, StructType(fields)) match {
      case Right(found) => found.toArray
      case Left(part) => refuseCondition(part)
    }
  }
}
