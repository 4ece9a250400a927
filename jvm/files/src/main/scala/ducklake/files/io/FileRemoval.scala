package ducklake.files.io

import ducklake.files.store.Causes
import ducklake.files.store.Interruption
import ducklake.files.store.LocalFiles
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.jdk.CollectionConverters.SeqHasAsJava
import scala.util.control.NonFatal

/** A file that could not be deleted, and the reason.
  *
  * @param path as it was given
  */
final case class Undeleted(path: String, why: String)

/** Deletes many files: object stores in requests of as many files as one request may have, other
  * file systems file by file.
  */
object FileRemoval {

  /** Deletes the files. Returns the files that could not be deleted. A file that does not exist
    * counts as deleted. An interrupt is rethrown, with the thread's flag set; some of the files are
    * deleted then.
    *
    * @param paths in Hadoop's form
    */
  def run(paths: Vector[String], conf: Configuration): Vector[Undeleted] = {
    val resolved = paths.map(path => (path, attempted(new Path(path))))
    val unknown = resolved.collect { case (path, Left(why)) => Undeleted(path, why) }
    val places = resolved.collect { case (path, Right(target)) => (path, target) }
    val byStore = places.groupBy { case (_, target) =>
      (Option(target.toUri.getScheme), Option(target.toUri.getAuthority))
    }
    unknown ++ byStore.values.flatMap(ofStore(_, conf))
  }

  private def ofStore(files: Vector[(String, Path)], conf: Configuration): Vector[Undeleted] =
    attempted(Storage.plain(files.head._2, conf)) match {
      case Left(why) => files.map { case (path, _) => Undeleted(path, why) }
      case Right(system) =>
        pageSize(system, files.head._2) match {
          case Some(size) => files.grouped(size).toVector.flatMap(page(system, _))
          case None => files.flatMap { case (path, target) => one(system, path, target) }
        }
    }

  /** The number of files that one request deletes; None where the file system has no such request.
    * S3A is used so even for single files (`fs.s3a.multiobjectdelete.enable`): its other way to
    * delete a file first reads the file's status, and then checks the folder above it.
    */
  private def pageSize(system: FileSystem, file: Path): Option[Int] =
    attempted {
      val bulk = system.createBulkDelete(root(file))
      try bulk.pageSize()
      finally bulk.close()
    }.toOption.filter(_ > 1 || system.getUri.getScheme == "s3a")

  private def page(system: FileSystem, files: Vector[(String, Path)]): Vector[Undeleted] = {
    val givenPaths = files.map { case (path, target) => target -> path }.toMap
    attempted {
      val bulk = system.createBulkDelete(root(files.head._2))
      try bulk.bulkDelete(files.map(_._2).asJava).asScala.toVector
      finally bulk.close()
    } match {
      case Left(why) => files.map { case (path, _) => Undeleted(path, why) }
      case Right(failed) =>
        failed.map { entry =>
          Undeleted(givenPaths.getOrElse(entry.getKey, entry.getKey.toString), entry.getValue)
        }
    }
  }

  /** Local file systems report a refusal as false, not as an error. */
  private def one(system: FileSystem, path: String, target: Path): Option[Undeleted] =
    attempted(system.delete(target, false) || isAbsent(system, target)) match {
      case Right(true) => None
      case Right(false) => Some(Undeleted(path, "the file system refused it"))
      case Left(why) => Some(Undeleted(path, why))
    }

  /** Hadoop treats a local file as absent also when permissions hide it. */
  private def isAbsent(system: FileSystem, target: Path): Boolean = system match {
    case local: RawLocalFileSystem => LocalFiles.isSurelyAbsent(local.pathToFile(target).toPath)
    case other => !other.exists(target)
  }

  private def root(file: Path): Path = new Path(file, "/")

  /** An interrupt does not concern the file: it ends the call. */
  private def attempted[A](body: => A): Either[String, A] =
    try Right(body)
    catch {
      case NonFatal(cause) if Interruption.isBehind(Causes.of(cause)) =>
        Thread.currentThread().interrupt()
        throw cause
      case NonFatal(cause) => Left(FileFailure.why(cause))
    }
}
