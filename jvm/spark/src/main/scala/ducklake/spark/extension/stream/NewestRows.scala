package ducklake.spark.extension.stream

import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.sql.OneForm
import ducklake.spark.streaming.upsert.UpsertEpoch
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Ascending
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.InterpretedOrdering
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import scala.collection.mutable

/** Chooses the row that an epoch leaves for each key, on the driver: the newest by the sequence, and
  * of rows of the same sequence the first.
  *
  * @param columns of the rows
  */
private[stream] final class NewestRows(epoch: UpsertEpoch, columns: Seq[Attribute]) {

  private val keys = epoch.upsert.keys.map(reference)
  private val sequence = epoch.upsert.sequence.map(name => SortOrder(reference(name), Ascending))
  private val check = new RowCheck(epoch, columns)

  /** Whether keys can be compared by their bytes. Otherwise Spark has to compare them. */
  def mayChoose: Boolean = keys.forall(key => OneForm.has(key.dataType))

  /** Errors: StreamCannotContinue for NULL in a key or in the sequence, and for a key with two rows
    * without a sequence.
    */
  def of(rows: Vector[InternalRow]): Vector[InternalRow] = {
    val keyOf = UnsafeProjection.create(keys)
    val order = new InterpretedOrdering(sequence.toSeq)
    val newest = mutable.LinkedHashMap.empty[UnsafeRow, InternalRow]
    rows.foreach { row =>
      check.problem(row).foreach(SparkErrors.raise)
      val key = keyOf(row).copy()
      newest.get(key) match {
        case Some(_) if sequence.isEmpty => SparkErrors.raise(check.twice)
        case Some(known) if order.compare(row, known) <= 0 => ()
        case _ => newest.update(key, row)
      }
    }
    newest.values.toVector
  }

  private def reference(name: String): BoundReference = {
    val ordinal = columns.indexWhere(_.name == name)
    BoundReference(ordinal, columns(ordinal).dataType, columns(ordinal).nullable)
  }
}
