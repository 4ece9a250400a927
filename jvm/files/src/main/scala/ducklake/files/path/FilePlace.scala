package ducklake.files.path

import ducklake.catalog.error.LakeException
import ducklake.catalog.path.PathSpelling

import java.io.IOException
import java.net.URLDecoder
import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.Paths

/** The place of a file, so that paths can be compared: one text for all spellings of a place, see
  * [[ducklake.catalog.path.PathSpelling]]. Schemes that Hadoop opens in the same way are one, and
  * symbolic links of local folders are resolved.
  */
object FilePlace {

  /** The place of a path in DuckDB's spelling, which is never percent-decoded. */
  def of(path: String): String = new FilePlace(real).of(path)

  /** For the places of many files: each local folder is looked up once, unless there are very many.
    */
  def remembering(): FilePlace = {
    val known = scala.collection.mutable.HashMap.empty[String, String]
    new FilePlace({ folder =>
      if (known.size >= MostFolders) known.clear()
      known.getOrElseUpdate(folder, real(folder))
    })
  }

  /** The place without the storage account, of an Azure path that has one. A path in the catalog
    * that names only a container has this place, and may mean the same file.
    */
  def withoutAccount(place: String): Option[String] = place match {
    case WithAccount(container, key) => Some(s"az://$container$key")
    case _ => None
  }

  private val WithAccount = "(?s)abfss?://([^/@]*)@[^/]*(/.*)".r
  private val ContainerOnly = "(?s)(?:az|azure|abfss?)://([^/@]*)(/.*)".r

  private val MostFolders = 10000

  /** Linux follows at most this many links. */
  private val MostLinks = 40

  /** The target of a symbolic link; None for other files. */
  private def target(path: Path): Option[String] =
    try
      Option.when(Files.isSymbolicLink(path)) {
        path.resolveSibling(Files.readSymbolicLink(path)).toString
      }
    catch { case _: IOException => None }

  /** The path without symbolic links; the path itself when nothing exists there. */
  private def real(path: String): String =
    try Paths.get(path).toRealPath().toString
    catch { case _: IOException => path }
}

/** @param realFolder resolves the symbolic links of a local folder
  */
final class FilePlace private (realFolder: String => String) {
  import FilePlace.*

  /** The place of a path in DuckDB's spelling, which is never percent-decoded. */
  def of(path: String): String = {
    PathSpelling.of(resolved(path)) match {
      case ContainerOnly(container, key) => s"az://$container$key"
      case local if local.startsWith("/") => real(local)
      case remote => remote
    }
  }

  /** The place of a file; for a local symbolic link, the place of the link itself. */
  def ofTarget(path: String): String = {
    val place = of(path)
    if (place.startsWith("/")) FilePlace.real(place) else place
  }

  /** The places that reading a known file depends on: the target of its path and, for a symbolic
    * link, the target of each link in turn. Files with names of DuckLake's writers are not links,
    * so most files of a lake need no look-up.
    */
  def ofKnown(path: String): Vector[String] =
    Iterator
      .iterate(Option(of(path)))(_.flatMap(linked))
      .takeWhile(_.nonEmpty)
      .take(MostLinks)
      .flatten
      .toVector

  /** The places of a path in the catalog, which may mean two files: the literal path, and the
    * percent-decoded path, because some writers encode paths.
    */
  def allOf(path: String): Vector[String] =
    ofKnown(path) ++ decoded(path).filter(_ != path).toVector.flatMap(ofKnown)

  private def linked(place: String): Option[String] = {
    val mayBeLink =
      place.startsWith("/") && !FileNames.isOurs(place.drop(place.lastIndexOf('/') + 1))
    if (mayBeLink) target(Paths.get(place)).map(real) else None
  }

  private def resolved(path: String): String =
    try PathResolver.hadoopPath(path)
    catch { case _: LakeException => path }

  private def real(path: String): String = {
    val end = path.lastIndexOf('/')
    if (end <= 0) path else realFolder(path.take(end)).stripSuffix("/") + path.drop(end)
  }

  private def decoded(path: String): Option[String] =
    if (!path.contains('%')) None
    else
      try Some(URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8))
      catch { case _: IllegalArgumentException => None }
}
