package ducklake.catalog.partition

import ducklake.catalog.types.Names

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

/** The folders of a partition's files, spelled as DuckDB spells them. DuckDB's compaction fails on
  * a partition whose files are in two folders.
  *
  * Source: DuckDB 1.5.5, observed (format 5.1); format 1.1, 5.1.
  */
object HivePath {

  /** The properties of a partition key that decide its folder name. */
  final case class Key(transform: Transform, column: String)

  /** The text before the `=` for each key: the name of its column or of its transform. When an
    * earlier key has the same text, the column's name is appended, and a number when that text is
    * taken too.
    */
  def names(keys: Vector[Key]): Vector[String] =
    keys.foldLeft(Vector.empty[String]) { (taken, key) =>
      val short = word(key)
      val long = s"${short}_${key.column}"
      val candidates = Iterator(short, long) ++ Iterator.from(2).map(n => s"${long}_$n")
      taken :+ candidates.dropWhile(name => taken.exists(Names.isSame(_, name))).next()
    }

  /** The folder, such as `year=2024/region=a%20b/`, relative to the table's folder.
    *
    * @param values the text of each key's value; None: NULL
    */
  def folder(names: Vector[String], values: Vector[Option[String]]): String =
    names
      .zip(values)
      .map { case (name, value) => s"${escape(name)}=${value.fold(absent)(escape)}/" }
      .mkString

  private val absent = "__HIVE_DEFAULT_PARTITION__"

  private def word(key: Key): String =
    key.transform match {
      case Transform.Identity => key.column
      case Transform.Bucket(_) => "bucket"
      case _: Transform.Calendar | Transform.Epoch(_) => TransformText.print(key.transform)
    }

  private def escape(text: String): String =
    text
      .getBytes(UTF_8)
      .map { byte =>
        val character = (byte & 0xff).toChar
        if (isPlain(character)) character.toString
        else String.format(Locale.ROOT, "%%%02X", Int.box(byte & 0xff))
      }
      .mkString

  private def isPlain(character: Char): Boolean =
    character < 128 && (Character.isLetterOrDigit(character) || "_-~.".contains(character))
}
