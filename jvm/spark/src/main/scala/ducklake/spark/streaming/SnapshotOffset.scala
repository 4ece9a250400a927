package ducklake.spark.streaming

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.SnapshotId
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.connector.read.streaming.Offset

import java.time.Instant
import java.time.format.DateTimeParseException
import java.util.UUID

/** The position up to which a stream has read a table. Spark keeps it in the checkpoint as JSON,
  * and compares offsets by it.
  *
  * @param table the table's own id; a new table of the same name has another id
  * @param read the last snapshot that was read; None: nothing was read
  */
private[streaming] final case class SnapshotOffset(table: UUID, read: Option[ReadSnapshot])
    extends Offset {

  override def json(): String = {
    val fields = SnapshotOffset.mapper.createObjectNode()
    read.foreach(last => fields.put(SnapshotOffset.SnapshotField, last.id.value))
    read.flatMap(_.time).foreach(time => fields.put(SnapshotOffset.TimeField, time.toString))
    fields.put(SnapshotOffset.TableField, table.toString).toString
  }
}

/** A snapshot that a stream has read.
  *
  * @param time the time of the snapshot, by which a lake that was restored from a copy is
  *   recognized; None for the snapshot before the first snapshot that is read
  */
private[streaming] final case class ReadSnapshot(id: SnapshotId, time: Option[Instant])

private[streaming] object SnapshotOffset {
  private val SnapshotField = "snapshot"
  private val TimeField = "time"
  private val TableField = "table"
  private val mapper = new ObjectMapper

  /** Everything up to this snapshot. */
  def at(table: UUID, snapshot: Snapshot): SnapshotOffset =
    SnapshotOffset(table, Some(ReadSnapshot(snapshot.id, Some(snapshot.time))))

  /** Everything before this snapshot. */
  def before(table: UUID, first: SnapshotId): SnapshotOffset =
    SnapshotOffset(table, Some(ReadSnapshot(SnapshotId(first.value - 1), None)))

  /** Spark passes one of our offsets, or an offset that it has read from the checkpoint. */
  def of(offset: Offset): SnapshotOffset = offset match {
    case ours: SnapshotOffset => ours
    case other => parse(other.json())
  }

  /** The offset of a checkpoint. Errors: StreamCannotContinue. */
  def parse(json: String): SnapshotOffset =
    try {
      val fields = mapper.readTree(json)
      def text(name: String): Option[String] =
        Option.when(fields.has(name))(fields.get(name).asText())
      val table = UUID.fromString(text(TableField).getOrElse(refuse(json)))
      val read = Option.when(fields.has(SnapshotField)) {
        ReadSnapshot(
          SnapshotId(fields.get(SnapshotField).asLong()),
          text(TimeField).map(Instant.parse),
        )
      }
      SnapshotOffset(table, read)
    } catch {
      case _: JsonProcessingException | _: IllegalArgumentException | _: DateTimeParseException =>
        refuse(json)
    }

  private def refuse(json: String): Nothing =
    SparkErrors.raise(
      LakeError.StreamCannotContinue(
        "a table of a lake",
        s"the checkpoint has the offset $json, which is none of a lake",
        "Take another checkpoint.",
      )
    )
}
