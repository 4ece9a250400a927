package ducklake.catalog.path

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.EmbeddedFile
import ducklake.catalog.model.LakePath

import java.nio.file.InvalidPathException
import java.nio.file.Path
import java.nio.file.Paths
import java.util.concurrent.atomic.AtomicReference

/** The data path in use.
  *
  * @param path ends in a separator; absolute
  * @param doubt why nothing may be written or deleted there: the files of the lake are in another
  *   or an unknown place
  */
final case class DataFolder(path: String, doubt: Option[LakeError])

/** Decides which data path is in use: the stored path or the path of the settings, and which folder
  * a relative path means (jvm/docs/catalog-files.md).
  *
  * @param wanted the path in the settings
  * @param overrides whether the path in the settings is used instead of the stored path; otherwise
  *   the two must agree
  * @param folders the different folders to which a relative path may be relative; the first is
  *   preferred for a lake without files
  * @param files some files that the catalog lists below a relative data path, which ends in a
  *   separator; their paths begin with it
  */
final class DataPaths(
    wanted: Option[String],
    overrides: Boolean,
    folders: Vector[Path] = Vector(DataPaths.workingFolder),
    files: String => Vector[String] = _ => Vector.empty,
) {

  /** The result for a stored path, which holds as long as this process runs. */
  private val found = new AtomicReference[Option[(String, DataFolder)]](None)

  /** Errors: InvalidSetting, when the paths differ, or when the files of the lake are in several
    * folders; UnsupportedPath for a path that no file system of this process has.
    */
  def inForce(stored: String): DataFolder =
    try folder(stored)
    catch { case invalid: InvalidPathException => throw unusable(stored, invalid) }

  private def unusable(stored: String, invalid: InvalidPathException): LakeException =
    new LakeException(
      LakeError.UnsupportedPath(
        stored,
        s"is the data path of the lake, and this process cannot use it (${invalid.getReason})",
        "In the locale `C` or `POSIX` a process uses ASCII paths alone; other paths are mended in " +
          "the catalog.",
      ),
      Some(invalid),
    )

  private def folder(stored: String): DataFolder = {
    val plain = LocalPath.plain(stored)
    wanted match {
      case Some(path) if overrides => certain(LocalPath.plain(path))
      case _ if !DataPaths.isRelative(plain) =>
        wanted
          .filter(comparable(_) != comparable(stored))
          .foreach(path => throw differ(path, stored))
        certain(plain)
      case _ =>
        found.get
          .collect { case (`stored`, folder) => folder }
          .getOrElse(search(stored, LakePath.folder(plain)))
    }
  }

  private def certain(plain: String): DataFolder = DataFolder(DataPaths.absolute(plain), None)

  private def search(stored: String, plain: String): DataFolder = {
    def place(folder: Path) = EmbeddedFile.real(in(folder, plain))
    val agreed =
      folders.filter(folder => wanted.forall(isSame(_, folder, plain))).distinctBy(place)
    val preferred = agreed.headOption.getOrElse(throw differ(wanted.getOrElse(""), stored))
    val listed = files(plain)
    val having = folders.filter(folder => listed.exists(file => exists(in(folder, file))))
    having.distinctBy(place) match {
      case Vector(one) if agreed.exists(place(_) == place(one)) =>
        val decided = DataFolder(in(one, plain), None)
        found.set(Some(stored -> decided))
        decided
      case Vector(other) => throw differ(wanted.getOrElse(""), in(other, plain))
      case Vector() if listed.nonEmpty =>
        DataFolder(in(preferred, plain), Some(absent(stored, plain)))
      case Vector() => ofNoFiles(stored, plain, agreed, preferred)
      case _ => throw new LakeException(divided(stored, plain))
    }
  }

  /** The folder of a lake without files: the folder that exists, else the preferred one. */
  private def ofNoFiles(
      stored: String,
      plain: String,
      agreed: Vector[Path],
      preferred: Path,
  ): DataFolder =
    agreed.filter(folder => exists(in(folder, plain))) match {
      case Vector(one) => DataFolder(in(one, plain), None)
      case Vector() => DataFolder(in(preferred, plain), None)
      case _ => DataFolder(in(preferred, plain), Some(ambiguous(stored, plain)))
    }

  /** Whether a path of the settings means the stored path, by its text or below this folder. */
  private def isSame(path: String, folder: Path, plain: String): Boolean =
    LakePath.folder(LocalPath.plain(path)) == LakePath.folder(plain) ||
      comparable(path) == comparable(in(folder, plain))

  /** A path in a folder; the path of a folder ends in a separator. */
  private def in(folder: Path, path: String): String = {
    val place = folder.resolve(path).normalize.toString
    if (path.endsWith("/")) LakePath.folder(place) else place
  }

  private def exists(path: String): Boolean = Paths.get(path).toFile.exists

  private def comparable(path: String): String = LakePath.folder(PathSpelling.of(path))

  private def differ(path: String, stored: String): LakeException =
    new LakeException(
      LakeError.InvalidSetting(
        "data-path",
        s"is `$path`, but the lake stores its files in `$stored`",
        "Leave the setting out, or set `override-data-path` to read from the given path.",
      )
    )

  private def absent(stored: String, plain: String): LakeError =
    unclear(
      stored,
      s"the files that the catalog lists are not in ${shown(plain)(" nor in ")}",
      "Start Spark in the folder in which the lake was made, or set `data-path` to the folder with " +
        "the files, and `override-data-path`.",
    )

  private def ambiguous(stored: String, plain: String): LakeError =
    unclear(
      stored,
      s"the lake has no files yet, and there are the folders ${shown(plain)(" and ")}",
      "Set `data-path` to one of them.",
    )

  private def divided(stored: String, plain: String): LakeError =
    unclear(
      stored,
      s"some files that the catalog lists are in ${shown(plain)(", others in ")}",
      "Put all of them into one folder, as they are below the other one.",
    )

  private def unclear(stored: String, why: String, hint: String): LakeError =
    LakeError.InvalidSetting("data-path", s"of the lake is relative, `$stored`, and $why", hint)

  private def shown(plain: String)(between: String): String =
    folders.map(in(_, plain)).mkString(between)
}

object DataPaths {

  def workingFolder: Path = Paths.get("").toAbsolutePath.normalize

  /** Whether the path is a local one that does not begin at the root. */
  private def isRelative(plain: String): Boolean =
    plain.nonEmpty && !plain.contains("://") && !plain.startsWith("/")

  /** The path, ending in a separator; a relative local path starts at the working folder. */
  private def absolute(plain: String): String =
    LakePath.folder(if (isRelative(plain)) workingFolder.resolve(plain).toString else plain)
}
