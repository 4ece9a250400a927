package ducklake.catalog.types.text

import java.io.ByteArrayOutputStream

import scala.annotation.tailrec
import scala.collection.immutable.ArraySeq

/** Bytes as text, in DuckDB's two spellings.
  *
  * Source: DuckDB 1.5.5, observed (format 3.2).
  */
private[types] object BlobText {
  private val hexDigits = "0123456789ABCDEF"

  /** Parses the spelling of statistics: hex digits without a prefix. */
  def parseHex(text: String): Option[ArraySeq[Byte]] =
    Option.when(text.length % 2 == 0 && text.forall(c => Character.digit(c, 16) >= 0)) {
      ArraySeq.from(text.grouped(2).map(pair => Integer.parseInt(pair, 16).toByte))
    }

  /** Parses the spelling of casts: ASCII bytes unchanged, other bytes as `\xNN`. None when the text
    * has other characters.
    */
  def parseEscaped(text: String): Option[ArraySeq[Byte]] = {
    @tailrec
    def bytesFrom(at: Int, done: ByteArrayOutputStream): Option[ByteArrayOutputStream] =
      if (at == text.length) Some(done)
      else if (text.charAt(at) == '\\')
        escapedByte(text, at) match {
          case Some(byte) => bytesFrom(at + 4, append(done, byte))
          case None => None
        }
      else if (text.charAt(at) < 128) bytesFrom(at + 1, append(done, text.charAt(at).toInt))
      else None
    bytesFrom(0, new ByteArrayOutputStream(text.length))
      .map(bytes => ArraySeq.unsafeWrapArray(bytes.toByteArray))
  }

  def printHex(bytes: ArraySeq[Byte]): String =
    bytes.map(byte => hex(byte)).mkString

  /** The text of a cast to VARCHAR. */
  def printEscaped(bytes: ArraySeq[Byte]): String =
    bytes.map { byte =>
      val isPlain = byte >= 32 && byte < 127 && byte != '\\' && byte != '\'' && byte != '"'
      if (isPlain) byte.toChar.toString else "\\x" + hex(byte)
    }.mkString

  private def append(bytes: ByteArrayOutputStream, byte: Int): ByteArrayOutputStream = {
    bytes.write(byte)
    bytes
  }

  private def escapedByte(text: String, at: Int): Option[Int] =
    Option
      .when(text.startsWith("\\x", at) && at + 4 <= text.length)(text.substring(at + 2, at + 4))
      .filter(_.forall(c => Character.digit(c, 16) >= 0))
      .map(digits => Integer.parseInt(digits, 16))

  private def hex(byte: Byte): String =
    s"${hexDigits.charAt(byte >> 4 & 15)}${hexDigits.charAt(byte & 15)}"
}
