package ducklake.spark.write

import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions
import ducklake.spark.config.StatementOptions.MergeSchema
import ducklake.spark.config.StatementOptions.OverwriteSchema
import ducklake.spark.config.StatementOptions.PartitionOverwriteMode
import ducklake.spark.config.StatementOptions.ReplaceWhere
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.catalog.EvolvingTable
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util.Locale

import scala.jdk.CollectionConverters.MapHasAsScala

/** The options of a write that decide which rows it replaces and which columns the table has after
  * it. Their names are those of Delta and of Spark's own file formats. Each option is obeyed
  * exactly or refused.
  *
  * @param options of the write
  */
private[spark] final class RowOptions(options: CaseInsensitiveStringMap) {

  import RowOptions.PartitionMode

  StatementOptions.checkWrite(options.asCaseSensitiveMap().asScala.keys)

  /** The condition of the rows to replace. */
  val condition: Option[String] = Option(options.get(ReplaceWhere)).map { text =>
    if (text.isBlank) refuse(ReplaceWhere, "is blank", "Write a condition, or leave it out.")
    text
  }

  private val partitionMode: Option[PartitionMode] =
    Option(options.get(PartitionOverwriteMode)).map { value =>
      value.toLowerCase(Locale.ROOT) match {
        case "dynamic" => PartitionMode.Dynamic
        case "static" => PartitionMode.Static
        case _ => refuse(PartitionOverwriteMode, s"is `$value`", "Write static or dynamic.")
      }
    }

  private val mergesSchema: Boolean = booleanOption(MergeSchema).contains(true)
  private val overwritesSchema: Option[Boolean] = booleanOption(OverwriteSchema)

  /** Whether `overwriteSchema` requests the columns of the query, and the layout with them. */
  def asksForOtherColumns: Boolean = overwritesSchema.contains(true)

  private def booleanOption(name: String): Option[Boolean] =
    Option(options.get(name)).map { value =>
      value.toLowerCase(Locale.ROOT) match {
        case "true" => true
        case "false" => false
        case _ => refuse(name, s"is `$value`", "Write true or false.")
      }
    }

  /** The rows of an existing table that the options replace.
    *
    * @param mode the rows that the statement itself replaces
    *
    * Errors: InvalidSetting when the options contradict the statement.
    */
  def requested(mode: OverwriteMode): RowOptions.Requested = {
    refuseOtherColumns()
    (condition, partitionMode) match {
      case (Some(text), partitions) => conditional(mode, text, partitions)
      case (None, Some(PartitionMode.Dynamic)) => dynamic(mode)
      case (None, Some(PartitionMode.Static)) if mode == OverwriteMode.Partitions =>
        contradiction(PartitionOverwriteMode, "is static in a dynamic overwrite")
      case (None, Some(PartitionMode.Static) | None) => RowOptions.OfStatement
    }
  }

  private def conditional(
      mode: OverwriteMode,
      text: String,
      partitions: Option[PartitionMode],
  ): RowOptions.Requested =
    mode match {
      case _ if partitions.contains(PartitionMode.Dynamic) =>
        contradiction(ReplaceWhere, s"is given together with `$PartitionOverwriteMode`")
      case OverwriteMode.Everything => RowOptions.Where(text)
      case OverwriteMode.Nothing =>
        refuse(
          ReplaceWhere,
          "is given in an append, which replaces no rows",
          "Write with mode overwrite, or leave it out.",
        )
      case OverwriteMode.Matching(_) | OverwriteMode.Partitions =>
        contradiction(ReplaceWhere, "is given in an overwrite that names its rows otherwise")
    }

  private def dynamic(mode: OverwriteMode): RowOptions.Requested =
    mode match {
      case OverwriteMode.Nothing => RowOptions.OfStatement
      case OverwriteMode.Everything | OverwriteMode.Partitions => RowOptions.OfPartitions
      case OverwriteMode.Matching(_) =>
        contradiction(PartitionOverwriteMode, "is dynamic in an overwrite by a condition")
    }

  private def refuseOtherColumns(): Unit = {
    if (mergesSchema)
      refuse(
        MergeSchema,
        "is not obeyed by this write",
        EvolvingTable.Way,
      )
    if (overwritesSchema.contains(true))
      refuse(
        OverwriteSchema,
        "is not obeyed by this write, which keeps the table's columns",
        "Use `df.write.mode(\"overwrite\").saveAsTable(…)` or `df.writeTo(…).createOrReplace()`.",
      )
  }

  /** Refuses options that a write cannot obey when it replaces a table: it replaces all rows, and
    * the columns too. When no table is replaced, no rows exist that the options could concern.
    */
  def checkReplaced(): Unit = {
    if (condition.isDefined)
      refuse(ReplaceWhere, "is not obeyed by this write, which replaces the table", RowOptions.Ways)
    if (partitionMode.contains(PartitionMode.Dynamic))
      refuse(
        PartitionOverwriteMode,
        "is dynamic in a write that replaces the table",
        RowOptions.Ways,
      )
    if (mergesSchema || overwritesSchema.contains(false))
      refuse(
        if (mergesSchema) MergeSchema else OverwriteSchema,
        "asks for columns that stay, in a write that replaces the table with its columns",
        RowOptions.Ways,
      )
  }

  private def contradiction(option: String, why: String): Nothing =
    refuse(option, why, "Leave one of them out.")

  private def refuse(option: String, why: String, hint: String): Nothing =
    SparkErrors.raise(LakeError.InvalidSetting(option, why, hint))
}

private[spark] object RowOptions {

  /** The values of `partitionOverwriteMode`. */
  private sealed trait PartitionMode

  private object PartitionMode {
    case object Static extends PartitionMode
    case object Dynamic extends PartitionMode
  }

  /** The rows that the options replace. */
  sealed trait Requested

  /** The rows that the statement names. */
  case object OfStatement extends Requested

  /** The rows for which the condition is true. */
  final case class Where(text: String) extends Requested

  /** The rows of the partitions that get new rows. */
  case object OfPartitions extends Requested

  private val Ways: String =
    "Use `df.write.mode(\"overwrite\").insertInto(…)`, `df.writeTo(…).overwrite(condition)`, " +
      "`df.writeTo(…).overwritePartitions()` or INSERT … REPLACE WHERE."
}
