package ducklake.spark.extension.stream

import ducklake.catalog.types.Names
import ducklake.spark.streaming.upsert.UpsertEpoch
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.GreaterThan
import org.apache.spark.sql.catalyst.expressions.IsNull
import org.apache.spark.sql.catalyst.expressions.Or

/** What a row of an epoch does to a row of the table that has its key. */
private[stream] final class MergeRules(epoch: UpsertEpoch) {

  val columns: Vector[String] = epoch.table.columns.map(_.name).toVector

  /** The table's columns that the stream has. */
  val streamed: Vector[String] =
    columns.filter(column => epoch.rows.fieldNames.exists(Names.isSame(_, column)))

  /** Rows that are there keep the values of these columns. */
  val kept: Vector[String] = columns.diff(streamed)

  /** Whether the row replaces the other one; None when each row does. */
  def isNewer(row: String => Expression, old: String => Expression): Option[Expression] =
    epoch.upsert.sequence.map { column =>
      Or(IsNull(old(column)), GreaterThan(row(column), old(column)))
    }
}
