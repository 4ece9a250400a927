package ducklake.catalog.partition

import ducklake.catalog.types.Names

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

/** The folders of a partition's files, spelled as DuckDB spells them. DuckDB's compaction fails on
  * a partition whose files are in two folders.
  *
  * Source: DuckDB 1.5.5, observed (format 5.1); format 14.5.
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

  /** The folder, such as `year=2024/region=a%20b/`, relative to the table's folder. A key whose
    * folder does not fit gets no folder: the catalog has the partition values, and paths are free.
    * Files with the same values are still in the same folder.
    *
    * @param values the text of each key's value; None: NULL
    */
  def folder(names: Vector[String], values: Vector[Option[String]], room: Room): String =
    names
      .zip(values)
      .map { case (name, value) => s"${escape(name)}=${value.fold(absent)(escape)}" }
      .filter(_.length <= room.nameBytes)
      .foldLeft("") { (path, name) =>
        if (path.length + name.length < room.pathBytes) s"$path$name/" else path
      }

  /** How long the names of folders may be.
    *
    * @param nameBytes of one folder
    * @param pathBytes of all folders below the table's folder
    */
  final case class Room(nameBytes: Int, pathBytes: Int)

  object Room {

    /** The longest name that file systems take. */
    val NameBytes = 255

    private val ofFiles = Room(NameBytes, 2000)

    /** A key of an object store has 1024 bytes and no names, and DuckDB uses them. */
    private val ofObjects = Room(900, 900)

    private val objectStores = Set("s3", "s3a", "s3n", "r2", "gs", "gcs")

    /** The room below a folder. */
    def below(folder: String): Room =
      if (objectStores(folder.takeWhile(_ != ':'))) ofObjects else ofFiles
  }

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
