package ducklake.files.crypto

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.security.GeneralSecurityException
import javax.crypto.Cipher
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec

/** Seals and opens the encrypted modules of one file. A module consists of the length of the rest
  * in four bytes, a nonce, the encrypted bytes and a tag. The tag signs only the module itself. For
  * one thread.
  *
  * Source: Parquet format, Encryption, 5.1; DuckDB 1.5.5, observed, format 5.6.
  */
private[crypto] final class Modules(key: SecretKeySpec, nonces: Nonces) {
  import Modules.*

  private val cipher = Cipher.getInstance("AES/GCM/NoPadding")

  /** Decrypts the module at `at` of `bytes`, which is known to fit, into `to`. Returns the number
    * of decrypted bytes.
    *
    * Errors: EncryptionFailure.
    */
  def open(bytes: Array[Byte], at: Int, place: ModulePlace, to: Array[Byte], toAt: Int): Int = {
    val rest = sizeAt(bytes, at) - LengthBytes
    val nonceAt = at + LengthBytes
    if (!nonces.fits(bytes, nonceAt, place.position)) throw EncryptionFailure.changed(place.name)
    try {
      cipher.init(Cipher.DECRYPT_MODE, key, parameters(bytes, nonceAt))
      cipher.doFinal(bytes, nonceAt + Nonces.Bytes, rest - Nonces.Bytes, to, toAt)
    } catch { case _: GeneralSecurityException => throw EncryptionFailure.changed(place.name) }
  }

  /** The decrypted module. */
  def opened(bytes: Array[Byte], at: Int, place: ModulePlace): Array[Byte] = {
    val plain = new Array[Byte](sizeAt(bytes, at) - Overhead)
    open(bytes, at, place, plain, 0): Unit
    plain
  }

  /** A new module of `count` bytes.
    *
    * @param position of the module in the file; no other module under this key has it
    */
  def sealOf(bytes: Array[Byte], at: Int, count: Int, position: Long): Array[Byte] = {
    val module = new Array[Byte](count + Overhead)
    val buffer = ByteBuffer.wrap(module).order(ByteOrder.LITTLE_ENDIAN)
    buffer.putInt(module.length - LengthBytes).put(Nonces.of(position)): Unit
    cipher.init(Cipher.ENCRYPT_MODE, key, parameters(module, LengthBytes))
    cipher.doFinal(bytes, at, count, module, buffer.position()): Unit
    module
  }

  private def parameters(bytes: Array[Byte], nonceAt: Int): GCMParameterSpec =
    new GCMParameterSpec(TagBytes * 8, bytes, nonceAt, Nonces.Bytes)
}

private[crypto] object Modules {
  val LengthBytes = 4
  private val TagBytes = 16

  /** The bytes of a module in addition to the encrypted content. */
  val Overhead: Int = LengthBytes + Nonces.Bytes + TagBytes

  /** Bytes of the module at `at`, with its length. Not checked. */
  def sizeAt(bytes: Array[Byte], at: Int): Int =
    LengthBytes + ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(at)

  /** Errors: EncryptionFailure for a size that no module of at most `most` bytes has. */
  def checked(size: Int, most: Long, what: String): Int =
    if (size >= Overhead && size.toLong <= most) size else throw EncryptionFailure.changed(what)
}

/** The position and the name of a module, for messages. */
private[crypto] final case class ModulePlace(position: Long, name: String)
