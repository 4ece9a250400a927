package ducklake.spark.extension.stream

import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions
import ducklake.spark.streaming.upsert.UpsertEpoch
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

/** Which rows of an epoch cannot be merged. */
private[stream] final class RowCheck(epoch: UpsertEpoch, columns: Seq[Attribute])
    extends Serializable {

  private val table = epoch.table.table.qualifiedName
  private val keys = epoch.upsert.keys
  private val needed =
    (epoch.upsert.keys ++ epoch.upsert.sequence).map(name =>
      columns.indexWhere(_.name == name) -> name
    )

  /** The error of a row without a key or a sequence: StreamCannotContinue. */
  def problem(row: InternalRow): Option[LakeError] =
    needed.collectFirst {
      case (ordinal, name) if row.isNullAt(ordinal) =>
        failed(s"a row has NULL in `$name`", "Leave such rows out.")
    }

  /** The error of a key with two rows and no sequence: StreamCannotContinue. */
  def twice: LakeError =
    failed(
      s"an epoch has two rows with the same ${keys.mkString("`", "`, `", "`")}",
      s"Name the column that says which is newer by `${StatementOptions.SequenceBy}`.",
    )

  private def failed(why: String, hint: String): LakeError =
    LakeError.StreamCannotContinue(table, why, hint)
}
