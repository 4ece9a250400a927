package ducklake.files.delete

import ducklake.files.io.PublishedFile
import org.apache.hadoop.conf.Configuration

import java.util.UUID

/** A deletion vector of Delta, in a file of its own.
  *
  * @param id by which the file is named; it depends on the data file and the positions alone
  * @param offset of the vector in the file
  * @param sizeBytes of the vector, without its length and checksum
  * @param cardinality the number of deleted rows
  */
final case class DeltaVector(id: UUID, offset: Int, sizeBytes: Int, cardinality: Long)

/** Writes deletion vectors as Delta stores them: a version byte, then the vector that
  * [[DeletionVector]] describes.
  *
  * Source: Delta's protocol, "Deletion Vector Format".
  */
object DeltaVectorFile {

  private val version: Byte = 1

  /** The bytes of the length and the checksum. */
  private val frameBytes = 8

  /** Writes the file unless it is there: a file of this name has the same bytes.
    *
    * @param folder of the table, in Hadoop's form, with a separator at its end
    * @param dataFile whose rows are deleted
    *
    * Errors: `UnwritableFile` naming the file, `UnsupportedPath`.
    */
  def write(
      folder: String,
      dataFile: String,
      positions: DeletedPositions,
      table: String,
      conf: Configuration,
  ): DeltaVector = {
    val vector = DeletionVector.encode(positions)
    val id = PositionDigest.of(dataFile, vector)
    val content = Iterator(Array(version), vector)
    PublishedFile.create(folder + name(id), table, content, conf): Unit
    DeltaVector(id, 1, vector.length - frameBytes, positions.size.toLong)
  }

  /** Source: Delta's protocol, "Deletion Vector Descriptor Schema". */
  def name(id: UUID): String = s"deletion_vector_$id.bin"
}
