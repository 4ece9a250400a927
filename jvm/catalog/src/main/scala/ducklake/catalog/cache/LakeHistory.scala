package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot

import java.time.Instant
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

/** Tells whether the lake at an address still has the history that it had. A lake that was put back from
  * a copy and changed otherwise has other snapshots, schema versions and files under the same numbers:
  * what was kept of the first one is never used for the second.
  */
final class LakeHistory {
  import LakeHistory.Known
  import LakeHistory.Sighting

  private val known = new AtomicReference(Known(0L, None))

  /** What `read` finds, and the number of the history that it belongs to. Two snapshots have the same
    * number only when one history has both.
    *
    * @param read finds a snapshot, and in the same statement the time of the one that it is given; is run
    *   again when another thread was faster
    */
  @tailrec
  def follow[A](read: Option[Snapshot] => Option[Sighting[A]]): Option[(A, Long)] = {
    val before = known.get
    read(before.newest) match {
      case None => None
      case Some(sighting) =>
        val after = next(before, sighting)
        if (after == before || known.compareAndSet(before, after))
          Some((sighting.found, after.number))
        else follow(read)
    }
  }

  private def next(before: Known, sighting: Sighting[?]): Known =
    before.newest match {
      case Some(newest) if sighting.timeOfKnown.contains(newest.time) =>
        if (sighting.snapshot.id.value > newest.id.value)
          before.copy(newest = Some(sighting.snapshot))
        else before
      case _ => Known(before.number + 1, Some(sighting.snapshot))
    }
}

object LakeHistory {

  /** @param snapshot that was read
    * @param timeOfKnown when the snapshot was made that was asked about; None when it is not there
    */
  final case class Sighting[A](found: A, snapshot: Snapshot, timeOfKnown: Option[Instant])

  /** @param newest the newest snapshot of the history that was met so far */
  private final case class Known(number: Long, newest: Option[Snapshot])
}
