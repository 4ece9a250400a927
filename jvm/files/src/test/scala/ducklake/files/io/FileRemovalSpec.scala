package ducklake.files.io

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.BulkDelete
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem
import org.scalatest.funsuite.AnyFunSuite

import java.io.InterruptedIOException
import java.net.URI
import java.nio.file.Files
import java.nio.file.Path as LocalPath
import java.util
import java.util.concurrent.atomic.AtomicInteger

class FileRemovalSpec extends AnyFunSuite {

  private def folder(files: String*): LocalPath = {
    val made = Files.createTempDirectory("removal")
    files.foreach(name => Files.createFile(made.resolve(name)))
    made
  }

  test("files go; a file that is not there counts as deleted, and others are reported") {
    val place = folder("a b%20?.parquet", "c")
    val full = Files.createDirectory(place.resolve("full"))
    Files.createFile(full.resolve("inside"))
    val paths = Vector("a b%20?.parquet", "c", "absent", "full").map(name => s"file:$place/$name")

    val failed = FileRemoval.run(paths :+ "none://host/x", new Configuration())

    assert(failed.map(_.path).toSet == Set(s"file:$place/full", "none://host/x"))
    assert(!Files.exists(place.resolve("c")) && Files.exists(full.resolve("inside")))
  }

  test("a local file of which nobody can tell whether it is there does not count as deleted") {
    val place = folder()
    Files.createSymbolicLink(place.resolve("circle"), LocalPath.of("circle"))

    val failed = FileRemoval.run(Vector(s"file:$place/circle/x"), new Configuration())

    assert(failed == Vector(Undeleted(s"file:$place/circle/x", "the file system refused it")))
  }

  test("what lay below a folder that is a file now counts as deleted") {
    val place = folder("a")

    assert(FileRemoval.run(Vector(s"file:$place/a/x/y"), new Configuration()).isEmpty)
  }

  test("an object store is asked for a page of files at a time") {
    val place = folder("a", "b", "c", "d", "e")
    val conf = new Configuration()
    conf.set("fs.hdfs.impl", classOf[PagedFileSystem].getName)
    conf.setBoolean("fs.hdfs.impl.disable.cache", true)
    PagedFileSystem.requests.set(0)

    val failed = FileRemoval.run(
      Vector("a", "b", "c", "d", "stuck").map(name => s"hdfs://store$place/$name"),
      conf,
    )

    assert(failed == Vector(Undeleted(s"hdfs://store$place/stuck", "it is stuck")))
    assert(PagedFileSystem.requests.get() == 3)
    assert(place.toFile.list().toVector == Vector("e"))
  }

  test("S3 is asked to delete also where it takes single files, which needs no look at folders") {
    val place = folder("a", "b")
    val conf = new Configuration()
    conf.set("fs.s3a.impl", classOf[PagedFileSystem].getName)
    conf.setBoolean("fs.s3a.impl.disable.cache", true)
    conf.setInt(PagedFileSystem.Size, 1)
    PagedFileSystem.requests.set(0)

    val failed = FileRemoval.run(Vector("a", "b").map(name => s"s3a://store$place/$name"), conf)

    assert(failed.isEmpty && place.toFile.list().isEmpty)
    assert(PagedFileSystem.requests.get() == 2)
  }

  test("an interrupt ends the call, and is no reason why a file stays") {
    val place = folder("a", "b")
    val conf = new Configuration()
    conf.set("fs.hdfs.impl", classOf[InterruptedFileSystem].getName)
    conf.setBoolean("fs.hdfs.impl.disable.cache", true)

    val thrown = intercept[InterruptedIOException] {
      FileRemoval.run(Vector("a", "b").map(name => s"hdfs://store$place/$name"), conf)
    }

    assert(thrown.getMessage == "stopped")
    assert(Thread.interrupted())
    Storage.discard(Vector(s"hdfs://store$place/a"), conf)
    assert(Thread.interrupted())
  }
}

/** A file system on which the thread is interrupted at each delete. */
final class InterruptedFileSystem extends RawLocalFileSystem {
  override def delete(path: Path, recursive: Boolean): Boolean =
    throw new InterruptedIOException("stopped")

  override def createBulkDelete(path: Path): BulkDelete =
    throw new UnsupportedOperationException("one by one")

  override def checkPath(path: Path): Unit = ()
}

/** A local file system that deletes two files per request, or as many as it is set to. */
final class PagedFileSystem extends RawLocalFileSystem {
  // Hadoop asks for it before `initialize` too.
  private var name = Option.empty[URI]

  override def initialize(name: URI, conf: Configuration): Unit = {
    setConf(conf)
    this.name = Some(name)
  }

  override def getUri: URI = Option(name).flatten.getOrElse(super.getUri)

  override def checkPath(path: Path): Unit = ()

  override def createBulkDelete(base: Path): BulkDelete = new BulkDelete {
    override def pageSize(): Int = getConf.getInt(PagedFileSystem.Size, 2)
    override def basePath(): Path = base
    override def close(): Unit = ()
    override def bulkDelete(
        paths: util.Collection[Path]
    ): util.List[util.Map.Entry[Path, String]] = {
      PagedFileSystem.requests.incrementAndGet()
      val failed = new util.ArrayList[util.Map.Entry[Path, String]]()
      paths.forEach { path =>
        if (path.getName == "stuck") failed.add(util.Map.entry(path, "it is stuck")): Unit
        else Files.delete(LocalPath.of(path.toUri.getPath))
      }
      failed
    }
  }
}

object PagedFileSystem {
  val Size = "paged.size"
  val requests = new AtomicInteger
}
