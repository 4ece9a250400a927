package ducklake.catalog.commit.expiry

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.KeptSnapshots
import ducklake.catalog.sql.write.ExpirySql

import scala.collection.immutable.ArraySeq

/** Collects the ids of snapshots as ranges without gaps. For one thread. */
private[catalog] final class SnapshotRanges {
  private val firsts = ArraySeq.newBuilder[Long]
  private val lasts = ArraySeq.newBuilder[Long]
  private var open = Option.empty[(Long, Long)]

  /** @param id greater than all earlier ids */
  def add(id: Long): Unit = open match {
    case Some((first, last)) if id == last + 1 => open = Some((first, id))
    case _ =>
      close()
      open = Some((id, id))
  }

  def result(): KeptSnapshots = {
    close()
    KeptSnapshots(firsts.result(), lasts.result())
  }

  private def close(): Unit = {
    open.foreach { case (first, last) =>
      firsts += first
      lasts += last
    }
    open = None
  }
}

private[catalog] object SnapshotRanges {

  /** The snapshots that the lake has. */
  def read(session: Session, sql: ExpirySql): KeptSnapshots = {
    val kept = new SnapshotRanges
    session.foreach(sql.snapshotIds)(row => kept.add(row.long(1)))
    kept.result()
  }
}
