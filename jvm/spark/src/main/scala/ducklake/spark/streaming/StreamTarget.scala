package ducklake.spark.streaming

import ducklake.catalog.change.TableTarget
import ducklake.spark.session.WriteTarget

/** The table that gets the rows of an epoch, and the snapshot on which they are committed. */
private[streaming] object StreamTarget {

  /** The same target outside of the transaction that Spark begins for each epoch: that one is bound to
    * the snapshot at which the epoch began.
    */
  def immediate(target: WriteTarget): WriteTarget =
    target.copy(session = target.session.immediate)

  /** The same target based on the newest snapshot, if rows written for the target fit the table as it
    * is now. New rows depend on no other rows, so deletes that others have committed meanwhile are no
    * conflict. Otherwise the target itself: its commit then tells what has changed.
    */
  def rebased(target: WriteTarget): WriteTarget = {
    val base = target.session.base()
    val now = target.table match {
      case TableTarget.Existing(table) => base.table(table.schema.path, table.name)
      case TableTarget.Created(_) => None
    }
    now
      .map(WriteTarget.existing(target.session, base, _))
      .filter(_.layout == target.layout)
      .getOrElse(target)
  }
}
