package ducklake.catalog.registration

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

/** The `key=value` folders above a file.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_add_data_files (format 12).
  */
object PathKeys {

  /** Keys and values in the order of the path, percent-decoded. None stands for NULL. The file's
    * own name is no folder. When a key occurs twice, the first value counts.
    */
  def of(path: String): Vector[(String, Option[String])] = {
    path.split('/').toVector.dropRight(1).flatMap(pair).distinctBy(_._1)
  }

  private val absent = "__HIVE_DEFAULT_PARTITION__"

  private def pair(folder: String): Option[(String, Option[String])] =
    folder.indexOf('=') match {
      case at if at <= 0 || folder.indexOf('=', at + 1) >= 0 => None
      case at =>
        val value = folder.substring(at + 1)
        Some(decoded(folder.substring(0, at)) -> Option.when(value != absent)(decoded(value)))
    }

  /** The text with each `%` and two hexadecimal digits replaced by the byte. */
  private def decoded(text: String): String =
    if (!text.contains('%')) text
    else {
      val bytes = new ByteArrayOutputStream(text.length)
      val source = text.getBytes(UTF_8)
      // A loop, because an escape takes three bytes of the source and other bytes one.
      var at = 0
      while (at < source.length)
        escape(source, at) match {
          case Some(byte) =>
            bytes.write(byte)
            at += 3
          case None =>
            bytes.write(source(at).toInt)
            at += 1
        }
      bytes.toString(UTF_8)
    }

  private def escape(source: Array[Byte], at: Int): Option[Int] =
    if (source(at) != '%'.toByte || at + 2 >= source.length) None
    else {
      val high = Character.digit(source(at + 1).toChar, 16)
      val low = Character.digit(source(at + 2).toChar, 16)
      Option.when(high >= 0 && low >= 0)(high * 16 + low)
    }
}
