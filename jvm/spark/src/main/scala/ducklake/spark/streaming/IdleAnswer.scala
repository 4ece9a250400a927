package ducklake.spark.streaming

import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** Remembers that there was nothing to read after an offset. The answer stays right while the lake
  * has no new snapshot, which one short statement checks. Spark polls streams without a trigger a
  * hundred times a second; these streams look for new snapshots once in
  * [[IdleAnswer.LongestNanos]]. For one thread.
  *
  * @param newest the id and the time of the newest snapshot of the lake
  * @param isPolled whether Spark polls the stream as often as possible, and nobody waits for the
  *   answer
  * @param nanos a clock
  */
private[streaming] final class IdleAnswer(
    newest: () => Option[(SnapshotId, Instant)],
    isPolled: () => Boolean,
    nanos: () => Long,
) {
  private var known = Option.empty[IdleAnswer.Known]

  /** Whether there is still nothing to read after the offset; false when this is not known. */
  def holds(from: SnapshotOffset): Boolean = known.filter(_.from == from).exists { answer =>
    val isYoung = nanos() - answer.askedAt < IdleAnswer.LongestNanos
    isYoung && isPolled() || isConfirmed(answer)
  }

  private def isConfirmed(answer: IdleAnswer.Known): Boolean = {
    val askedAt = nanos()
    val isSame = newest().contains(answer.newest)
    known = Option.when(isSame)(answer.copy(askedAt = askedAt))
    isSame
  }

  /** There is nothing to read after the offset, up to this newest snapshot. */
  def remember(from: SnapshotOffset, newest: Snapshot, askedAt: Long): Unit =
    known = Some(IdleAnswer.Known(from, (newest.id, newest.time), askedAt))
}

private[streaming] object IdleAnswer {

  /** How long a stream without a trigger trusts its last answer. */
  val LongestNanos: Long = 1000000000L

  private final case class Known(
      from: SnapshotOffset,
      newest: (SnapshotId, Instant),
      askedAt: Long,
  )
}
