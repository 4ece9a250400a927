package ducklake.files.delete

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** A text that tells sets of deleted positions apart, for names of files. */
object PositionDigest {

  private val Digits = 32

  /** @param dataFile whose rows are deleted */
  def of(dataFile: String, positions: DeletedPositions): String = {
    val digest = MessageDigest.getInstance("SHA-256")
    digest.update(dataFile.getBytes(UTF_8))
    digest.digest(DeletionVector.encode(positions)).map(byte => f"$byte%02x").mkString.take(Digits)
  }
}
