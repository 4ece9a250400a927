package ducklake.files.delete

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper

import java.nio.ByteBuffer
import java.nio.ByteOrder

import scala.jdk.CollectionConverters.*

/** The place of one deletion vector in a Puffin container.
  *
  * @param offset from the start of the file
  * @param snapshot the snapshot up to which the vector holds the deleted positions
  */
private[delete] final case class PuffinBlob(offset: Int, length: Int, snapshot: Option[Long])

/** Reads the footer of a Puffin container.
  *
  * Layout of the file: magic, blobs, magic, JSON, little-endian length of the JSON, four bytes of
  * flags, magic. The JSON lists the blobs.
  *
  * Source: format 14.6.
  */
private[delete] object PuffinFooter {

  private val magic = Array[Byte]('P', 'F', 'A', '1')
  private val tailBytes = 12
  private val json = new ObjectMapper

  def isContainer(bytes: Array[Byte]): Boolean = bytes.startsWith(magic)

  /** The deletion vectors, in the order of the list. Blobs of other types are left out.
    *
    * Errors: IllegalArgumentException with the reason why the footer is invalid; an exception of
    * the JSON parser.
    */
  def vectors(bytes: Array[Byte]): Vector[PuffinBlob] = {
    require(bytes.length >= 2 * magic.length + tailBytes, "the Puffin file is too short")
    require(bytes.endsWith(magic), "the Puffin file's last bytes are not its magic number")
    val tail = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val flags = tail.getInt(bytes.length - 8)
    require((flags & 1) == 0, "the Puffin file's footer is compressed")
    require(flags == 0, "the Puffin file has unknown flags")
    val length = tail.getInt(bytes.length - tailBytes)
    val most = bytes.length - tailBytes - 2 * magic.length
    require(length >= 0 && length <= most, "the length of the Puffin file's footer does not fit")
    val start = bytes.length - tailBytes - length
    val end = start - magic.length
    require(bytes.slice(end, start).sameElements(magic), "the Puffin file's footer has no magic")
    val blobs = json.readTree(bytes, start, length).path("blobs")
    require(blobs.isArray, "the Puffin file's footer has no list of blobs")
    blobs.elements.asScala.toVector.filter(isVector).map(blob(_, end))
  }

  private def isVector(blob: JsonNode): Boolean = {
    val kind = blob.path("type")
    require(kind.isTextual, "a blob of the Puffin file has no type")
    kind.textValue == "deletion-vector-v1"
  }

  /** @param end of all blobs in the file */
  private def blob(node: JsonNode, end: Int): PuffinBlob = {
    val (offset, length) = (node.path("offset"), node.path("length"))
    require(isWhole(offset) && isWhole(length), "a blob of the Puffin file has no place")
    val (first, size) = (offset.longValue, length.longValue)
    require(
      first >= magic.length && size >= 0 && first <= end && size <= end - first,
      "a blob of the Puffin file lies outside the file",
    )
    val snapshot = Option(node.path("properties").get("ducklake-snapshot-id")).map(snapshotOf)
    PuffinBlob(first.toInt, size.toInt, snapshot)
  }

  private def isWhole(number: JsonNode): Boolean =
    number.isIntegralNumber && number.canConvertToLong

  private def snapshotOf(text: JsonNode): Long =
    Option(text.textValue)
      .flatMap(_.toLongOption)
      .filter(_ >= 0)
      .getOrElse(throw new IllegalArgumentException(s"a blob's snapshot is $text"))
}
