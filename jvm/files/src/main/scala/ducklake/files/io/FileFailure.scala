package ducklake.files.io

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.path.LocalPath
import ducklake.files.crypto.EncryptionFailure
import ducklake.files.store.Causes
import ducklake.files.store.Interruption
import ducklake.files.store.LocalFiles
import ducklake.files.store.StoreFailure
import org.apache.hadoop.fs.FSError
import org.apache.hadoop.security.AccessControlException
import org.apache.parquet.crypto.ParquetCryptoRuntimeException

import java.io.FileNotFoundException
import java.io.IOException
import java.nio.file.AccessDeniedException
import java.nio.file.InvalidPathException
import java.nio.file.NoSuchFileException
import java.nio.file.Paths

import scala.util.control.NonFatal

/** Translates exceptions of file accesses into our errors. There is no other translation. */
object FileFailure {

  /** Runs `body`. An exception that it throws becomes an error that names the file and its table.
    *
    * Errors: `EncryptedLake` for encrypted Parquet, `UnsupportedPath` where Spark has no file
    * system for the path, else `UnreadableFile`. Our own errors and interruptions are rethrown
    * unchanged.
    */
  def naming[A](path: String, table: String)(body: => A): A =
    try body
    catch {
      case known: LakeException => throw known
      case NonFatal(cause) if Interruption.isBehind(Causes.of(cause)) => throw cause
      case NonFatal(cause) => throw new LakeException(error(path, table, cause), Some(cause))
    }

  /** Runs `body`, which writes the file. An error of the storage becomes `UnwritableFile`, or
    * `UnsupportedPath` where Spark has no file system for the path. Other exceptions are rethrown
    * unchanged.
    */
  def writing[A](path: String, table: String)(body: => A): A =
    try body
    catch { case NonFatal(cause) => throw unwritable(path, table, cause) }

  /** The exception to throw instead of `cause`, which was thrown while the file was written.
    *
    * Errors: `UnwritableFile` for an error of the storage anywhere in the chain of causes;
    * `UnsupportedPath` where there is no file system for the path. Other exceptions are returned
    * unchanged, also our own errors and interruptions.
    */
  def unwritable(path: String, table: String, cause: Throwable): Throwable = {
    val chain = Causes.of(cause)
    if (chain.exists(_.isInstanceOf[LakeException]) || Interruption.isBehind(chain)) cause
    else if (MissingFileSystem.isBehind(chain))
      new LakeException(MissingFileSystem.error(path), Some(cause))
    else
      chain.findLast(isRefusal).fold(cause) { refusal =>
        val why = StoreFailure.reason(chain).getOrElse(summary(refusal))
        new LakeException(LakeError.UnwritableFile(path, table, why), Some(cause))
      }
  }

  /** Why an access failed, as the end of a sentence or in brackets, without names of packages. */
  def why(cause: Throwable): String = {
    val chain = Causes.of(cause)
    StoreFailure.reason(chain).getOrElse(summary(chain.last))
  }

  /** Whether this is an error of the storage. Hadoop's local file system reports a full disk with
    * its own `Error` class.
    */
  private def isRefusal(cause: Throwable): Boolean = cause match {
    case _: IOException | _: FSError => true
    case _ => false
  }

  private def error(named: String, table: String, cause: Throwable): LakeError = {
    val path = LocalPath.absolute(named)
    val chain = Causes.of(cause)
    if (chain.exists(_.isInstanceOf[ParquetCryptoRuntimeException]))
      encrypted(path, table, "it is encrypted, and its lake is not")
    else if (MissingFileSystem.isBehind(chain)) MissingFileSystem.error(path)
    else
      chain
        .collectFirst { case other: EncryptionFailure.Unsupported => other.why }
        .map(encrypted(path, table, _))
        .orElse(MissingCodec.error(path, table, chain))
        .getOrElse(LakeError.UnreadableFile(path, table, reason(path, chain)))
  }

  private def encrypted(path: String, table: String, why: String): LakeError =
    LakeError.EncryptedLake(
      s"Cannot read the file $path of $table",
      why,
      "Files of lakes are encrypted as DuckDB and ducklake-spark write them, or not at all",
    )

  private def reason(path: String, chain: List[Throwable]): String =
    StoreFailure
      .reason(chain)
      .orElse(chain.find(isAbsence).map(absence(path, _)))
      .orElse(chain.find(isDenial).map(denial => s"access to it was refused (${summary(denial)})"))
      .orElse(chain.collectFirst { case damaged: EncryptionFailure => damaged.why })
      .getOrElse(damage(chain))

  private def damage(chain: List[Throwable]): String =
    chain.flatMap(t => Option(t.getMessage)).find(_.contains("is not a Parquet file")) match {
      case Some(_) => "it is no Parquet file, or its end is missing"
      case None => s"its content is damaged (${summary(chain.last)})"
    }

  private def isAbsence(cause: Throwable): Boolean = cause match {
    case _: FileNotFoundException => true
    case _: NoSuchFileException => true
    case _ => false
  }

  private def isDenial(cause: Throwable): Boolean = cause match {
    case _: AccessDeniedException | _: AccessControlException => true
    case _ => false
  }

  /** Java throws FileNotFoundException also for a local file that it cannot open. It writes the
    * reason of the operating system in brackets.
    */
  private def absence(path: String, cause: Throwable): String =
    if (isSurelyAbsent(path)) "it does not exist"
    else {
      val why = Option(cause.getMessage).collect { case InBrackets(reason) => reason }
      s"it cannot be opened (${why.getOrElse(summary(cause))})"
    }

  /** False for a local file that exists, and when permissions hide whether it does. */
  private def isSurelyAbsent(path: String): Boolean = LocalPath.plain(path) match {
    case remote if remote.contains("://") => true
    case local =>
      try LocalFiles.isSurelyAbsent(Paths.get(local))
      catch { case _: InvalidPathException => true }
  }

  private val InBrackets = "(?s).*\\(([^()]+)\\)\\s*".r

  /** Without the end of Thrift's messages, which is the name of a Java object. */
  private def summary(cause: Throwable): String = {
    val text = Option(cause.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse("")
    s"${cause.getClass.getSimpleName}: ${text.replaceFirst("! Struct:.*", "")}".take(200)
  }
}
