package ducklake.files.delete

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.UUID

/** Tells sets of deleted positions apart, for names of files. */
object PositionDigest {

  /** @param dataFile whose rows are deleted
    * @param vector the positions, as [[DeletionVector]] encodes them
    */
  def of(dataFile: String, vector: Array[Byte]): UUID = {
    val digest = MessageDigest.getInstance("SHA-256")
    digest.update(dataFile.getBytes(UTF_8))
    val halves = ByteBuffer.wrap(digest.digest(vector))
    new UUID(halves.getLong(), halves.getLong())
  }
}
