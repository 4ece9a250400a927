package ducklake.spark.streaming

import ducklake.catalog.types.SnapshotId
import ducklake.spark.errors.PartFailure
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.stream.StreamingQueryId
import org.slf4j.LoggerFactory

/** The position of a stream in the catalog, from which on no expiry of ours removes snapshots. A new
  * position is registered once a minute, and the same position once an hour, so that streams hardly
  * write. The position in the catalog is never ahead of the checkpoint. A failure does not end the
  * stream. For one thread.
  *
  * @param stream the stream's name, for the warning
  * @param register stores the position
  * @param nanos a clock
  *
  * Source: decision 20.
  */
private[streaming] final class ReaderPosition(
    stream: String,
    register: SnapshotId => Unit,
    nanos: () => Long,
) {
  import ReaderPosition.*

  private var stored = Option.empty[SnapshotId]
  private var reached = Option.empty[SnapshotId]
  private var triedAt = Option.empty[Long]
  private var isWarned = false

  /** The checkpoint needs this snapshot and all later ones. */
  def reach(position: SnapshotId): Unit = {
    reached = Some(position)
    val wait = if (stored == reached) LongestNanos else ShortestNanos
    if (triedAt.forall(nanos() - _ >= wait)) store(position)
  }

  /** The stream ends. */
  def end(): Unit = reached.filterNot(stored.contains).foreach(store)

  private def store(position: SnapshotId): Unit = {
    triedAt = Some(nanos())
    try {
      register(position)
      stored = Some(position)
    } catch {
      case PartFailure(cause) =>
        if (!isWarned) log.warn(Refused, stream, cause.getMessage)
        isWarned = true
    }
  }
}

private[streaming] object ReaderPosition {

  /** The position of a stream of a table. Outside of a query nothing is registered. */
  def of(at: TableAtSnapshot, stream: String, checkpoint: String): ReaderPosition = {
    def register(needed: SnapshotId): Unit = name(checkpoint).foreach { reader =>
      at.session.refuseIfReadOnly()
      at.session.lake.advanceReader(reader, at.table.id, needed)
    }
    new ReaderPosition(stream, register, () => System.nanoTime())
  }

  /** The name of the reader; None outside of a query. A copy of a checkpoint has the same query, and
    * a query may read a table several times: the place of the source makes the difference.
    */
  def name(checkpoint: String): Option[String] =
    StreamingQueryId.ofThread().map(query => f"$query.${checkpoint.hashCode}%08x")

  private val log = LoggerFactory.getLogger(classOf[ReaderPosition])

  private val Refused =
    "{} is not registered as a reader, so an expiry may remove snapshots that it has not read: {} " +
      "The option `register-reader` = false leaves out the registration."

  /** How often a stream that goes on registers. */
  val ShortestNanos: Long = 60L * 1000000000L

  /** How often a stream registers that stays where it is. */
  val LongestNanos: Long = 60L * ShortestNanos
}
