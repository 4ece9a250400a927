package ducklake.catalog.cache

import ducklake.catalog.model.Snapshot

import java.time.Instant
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

/** Detects that the lake at an address has another history than before. A lake that was restored
  * from a backup and then changed has other snapshots, schema versions and files under the same
  * numbers. Cache entries of the first history are never used for the second.
  */
final class LakeHistory {
  import LakeHistory.Known
  import LakeHistory.Sighting

  private val known = new AtomicReference(Known(0L, None))

  /** The result of `read`, and the number of the history to which its snapshot belongs. Two
    * snapshots get the same number only when they belong to one history.
    *
    * @param read reads a snapshot and, in the same statement, the time of the given snapshot; runs
    *   again when another thread changed the known snapshot meanwhile
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

  /** @param snapshot the snapshot that was read
    * @param timeOfKnown the time of the known snapshot in the database; None when that snapshot
    *   does not exist
    */
  final case class Sighting[A](found: A, snapshot: Snapshot, timeOfKnown: Option[Instant])

  /** @param newest the newest snapshot of the history that was read so far
    */
  private final case class Known(number: Long, newest: Option[Snapshot])
}
