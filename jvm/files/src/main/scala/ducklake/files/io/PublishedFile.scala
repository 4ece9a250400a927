package ducklake.files.io

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.fs.FileAlreadyExistsException
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem

import java.io.IOException
import java.nio.file.Files
import java.nio.file.StandardCopyOption
import java.security.MessageDigest
import java.util.Arrays
import java.util.UUID

import scala.util.Using

/** New files that other programs may read at any time: they see a whole file, or none. */
object PublishedFile {

  /** Creates a file unless there is one with this name.
    *
    * On local disks and HDFS the file gets its name when it is complete, and that fails when the name
    * is taken. Object stores show only complete objects; they are asked not to replace one, which
    * S3A does from Hadoop 3.4.2 on, unless `fs.s3a.create.conditional.enabled` is false.
    *
    * @param path in Hadoop's form
    * @return whether the file was created
    *
    * Errors: `UnwritableFile` naming the file, `UnsupportedPath`.
    */
  def create(
      path: String,
      table: String,
      content: Iterator[Array[Byte]],
      conf: Configuration,
  ): Boolean =
    FileFailure.writing(path, table) {
      val target = new Path(path)
      val system = Storage.plain(target, conf)
      if (system.exists(target)) false
      else
        system match {
          case local: RawLocalFileSystem =>
            whole(local, target, content, conf)(linked(local, _, target))
          case store if stores(target.toUri.getScheme) => put(store, target, content)
          case other => whole(other, target, content, conf)(other.rename(_, target))
        }
    }

  /** Writes a file in place of the one with this name, if there is one.
    *
    * @param path in Hadoop's form
    *
    * Errors: `UnwritableFile` naming the file, `UnsupportedPath`.
    */
  def replace(path: String, table: String, content: Array[Byte], conf: Configuration): Unit =
    FileFailure.writing(path, table) {
      val target = new Path(path)
      Storage.plain(target, conf) match {
        case local: RawLocalFileSystem =>
          whole(local, target, Iterator(content), conf)(moved(local, _, target)): Unit
        case other =>
          written(other.createFile(target).overwrite(true).recursive().build(), Iterator(content))
      }
    }

  /** Object stores without a rename that fails when the name is taken. */
  private val stores = Set("s3a", "gs", "oss", "cosn", "wasb", "wasbs")

  /** The store answers at the end whether the name was free. Whoever asks again, because an answer was
    * lost, is refused by the object of his first request, so the object says who wrote it.
    */
  private def put(
      store: FileSystem,
      target: Path,
      content: Iterator[Array[Byte]],
  ): Boolean = {
    val digest = MessageDigest.getInstance("SHA-256")
    var isSent = false
    try {
      val isConditional = store.hasPathCapability(target, Conditional)
      val file = store
        .createFile(target)
        .overwrite(false)
        .recursive()
        .opt(Conditional, isConditional)
        .build()
      WholeFile.written(Storage.abort(file), file.close()) {
        content.foreach { bytes =>
          digest.update(bytes)
          file.write(bytes)
        }
        isSent = true
      }
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case failure: IOException if isSent =>
        if (store.exists(target)) Arrays.equals(digest.digest(), digestOf(store, target))
        else throw failure
    }
  }

  /** Hadoop's own name of the option. Versions that do not know it have no such capability, and S3A
    * has none, and fails with the option, where the settings turn conditional writes off.
    */
  private val Conditional = "fs.option.create.conditional.overwrite"

  private def digestOf(store: FileSystem, target: Path): Array[Byte] = {
    val digest = MessageDigest.getInstance("SHA-256")
    Using.resource(store.open(target)) { stream =>
      val buffer = new Array[Byte](BufferBytes)
      Iterator
        .continually(stream.read(buffer))
        .takeWhile(_ >= 0)
        .foreach(digest.update(buffer, 0, _))
    }
    digest.digest()
  }

  private val BufferBytes = 64 * 1024

  /** Writes the file under a name of its own, which it loses in the end. */
  private def whole(
      system: FileSystem,
      target: Path,
      content: Iterator[Array[Byte]],
      conf: Configuration,
  )(named: Path => Boolean): Boolean = {
    val own = new Path(target.getParent, s".${target.getName}.${UUID.randomUUID()}.tmp")
    try {
      written(Storage.create(own, conf), content)
      named(own)
    } finally if (system.exists(own)) system.delete(own, false): Unit
  }

  /** Gives the file a second name; a rename would replace another file. */
  private def linked(local: RawLocalFileSystem, own: Path, target: Path): Boolean =
    try {
      Files.createLink(local.pathToFile(target).toPath, local.pathToFile(own).toPath): Unit
      true
    } catch { case _: java.nio.file.FileAlreadyExistsException => false }

  private def moved(local: RawLocalFileSystem, own: Path, target: Path): Boolean = {
    val (from, to) = (local.pathToFile(own).toPath, local.pathToFile(target).toPath)
    Files.move(from, to, StandardCopyOption.REPLACE_EXISTING): Unit
    true
  }

  private def written(file: FSDataOutputStream, content: Iterator[Array[Byte]]): Unit =
    WholeFile.written(Storage.abort(file), file.close())(content.foreach(file.write(_)))
}
