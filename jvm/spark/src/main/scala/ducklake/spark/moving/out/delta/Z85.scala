package ducklake.spark.moving.out.delta

import java.nio.ByteBuffer
import java.util.UUID

/** Base85 as Delta writes the ids of deletion vectors. Source: ZeroMQ RFC 32. */
private[delta] object Z85 {

  private val digits =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
  private val DigitsPerWord = 5

  def of(id: UUID): String = {
    val bytes = ByteBuffer.allocate(16)
    bytes.putLong(id.getMostSignificantBits).putLong(id.getLeastSignificantBits).flip()
    Iterator.continually(bytes).takeWhile(_.hasRemaining).map(word => of(word.getInt)).mkString
  }

  private def of(word: Int): String =
    Iterator
      .iterate(Integer.toUnsignedLong(word))(_ / digits.length)
      .take(DigitsPerWord)
      .map(rest => digits((rest % digits.length).toInt))
      .mkString
      .reverse
}
