package ducklake.files.crypto

import ducklake.catalog.model.FileKey

import java.security.SecureRandom
import java.util.Base64
import javax.crypto.spec.SecretKeySpec

/** The bytes of a key. */
private[files] final class SecretKey private (bytes: Array[Byte]) {

  def spec: SecretKeySpec = new SecretKeySpec(bytes, "AES")

  def copy: Array[Byte] = bytes.clone()
}

private[files] object SecretKey {

  /** AES has keys of these lengths. DuckDB's have 16 bytes. */
  private val Lengths = Set(16, 24, 32)

  private val NewLength = 16

  private val random = new SecureRandom

  /** Errors: EncryptionFailure for a text that is not a key, such as an encrypted key. */
  def of(key: FileKey): SecretKey = {
    val bytes =
      try Base64.getDecoder.decode(key.base64)
      catch { case _: IllegalArgumentException => Array.emptyByteArray }
    if (Lengths(bytes.length)) new SecretKey(bytes)
    else
      throw new EncryptionFailure.Unsupported(
        "its key in the catalog is not the Base64 text of 16, 24 or 32 bytes"
      )
  }

  /** A new key. */
  def next(): FileKey = {
    val bytes = new Array[Byte](NewLength)
    random.nextBytes(bytes)
    FileKey(Base64.getEncoder.encodeToString(bytes))
  }
}
