package ducklake.spark.streaming

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.FilesBefore
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.DataFileId
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
  * @param read the last snapshot that was read; None: nothing was read as a whole
  * @param part what was read of the next batch, when that is divided
  */
private[streaming] final case class SnapshotOffset(
    table: UUID,
    read: Option[ReadSnapshot],
    part: Option[ReadPart] = None,
) extends Offset {

  /** The oldest snapshot that a stream needs to go on from here. A feed reads it to find the rows that
    * the next snapshot deletes. None: no snapshot was read.
    */
  def needed: Option[SnapshotId] = read.orElse(part.map(_.of)).map(_.id)

  override def json(): String = {
    val fields = SnapshotOffset.mapper.createObjectNode()
    read.foreach(SnapshotOffset.put(_, fields))
    part.foreach(SnapshotOffset.put(_, fields.putObject(SnapshotOffset.PartField)))
    fields.put(SnapshotOffset.TableField, table.toString).toString
  }
}

/** A snapshot that a stream has read.
  *
  * @param time the time of the snapshot, by which a lake that was restored from a copy is
  *   recognized; None for the snapshot before the first snapshot that is read
  */
private[streaming] final case class ReadSnapshot(id: SnapshotId, time: Option[Instant])

/** A part of a snapshot that a stream has read: the rows of the table at this snapshot that are
  * before the place.
  */
private[streaming] final case class ReadPart(of: ReadSnapshot, place: RowPlace)

private[streaming] object SnapshotOffset {
  private val SnapshotField = "snapshot"
  private val TimeField = "time"
  private val TableField = "table"
  private val PartField = "part"
  private val AddingField = "adding"
  private val LastFileField = "lastFile"
  private val FilesField = "files"
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
      val fields = objectOf(mapper.readTree(json))
      val table = UUID.fromString(textOf(fields, TableField).getOrElse(refuse(json)))
      val part = Option(fields.get(PartField)).map(part => partOf(objectOf(part)))
      SnapshotOffset(table, snapshotOf(fields), part)
    } catch {
      case _: JsonProcessingException | _: IllegalArgumentException | _: DateTimeParseException =>
        refuse(json)
    }

  private def put(read: ReadSnapshot, into: ObjectNode): Unit = {
    into.put(SnapshotField, read.id.value)
    read.time.foreach(time => into.put(TimeField, time.toString))
  }

  private def put(part: ReadPart, into: ObjectNode): Unit = {
    put(part.of, into)
    into.put(AddingField, part.place.adding.value)
    part.place.files.foreach { read =>
      into.put(LastFileField, read.last.value).put(FilesField, read.count)
    }
  }

  private def snapshotOf(fields: ObjectNode): Option[ReadSnapshot] =
    longOf(fields, SnapshotField).map { id =>
      ReadSnapshot(SnapshotId(id), textOf(fields, TimeField).map(Instant.parse))
    }

  private def partOf(fields: ObjectNode): ReadPart = {
    val of = snapshotOf(fields).getOrElse(lack(SnapshotField))
    val adding = longOf(fields, AddingField).getOrElse(lack(AddingField))
    val files = longOf(fields, LastFileField).map { last =>
      FilesBefore(DataFileId(last), longOf(fields, FilesField).getOrElse(lack(FilesField)))
    }
    ReadPart(of, RowPlace(SnapshotId(adding), files))
  }

  // A field of another type is never read as 0: a stream would begin anew without a word.

  private def objectOf(node: JsonNode): ObjectNode = node match {
    case fields: ObjectNode => fields
    case _ => throw new IllegalArgumentException("no JSON object")
  }

  private def textOf(fields: ObjectNode, name: String): Option[String] =
    Option(fields.get(name)).map(node => Option(node.textValue).getOrElse(lack(name)))

  private def longOf(fields: ObjectNode, name: String): Option[Long] =
    Option(fields.get(name)).map { node =>
      if (node.isIntegralNumber && node.canConvertToLong) node.longValue else lack(name)
    }

  private def lack(name: String): Nothing =
    throw new IllegalArgumentException(s"no valid field $name")

  private def refuse(json: String): Nothing =
    SparkErrors.raise(
      LakeError.StreamCannotContinue(
        "a table of a lake",
        s"the checkpoint has the offset $json, which is none of a lake",
        "Take another checkpoint.",
      )
    )
}
