package ducklake.files.delete

import ducklake.catalog.model.DeleteFormat
import ducklake.files.store.CatalogFileSystem
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.util.concurrent.atomic.AtomicInteger

/** What the cache reads again, and what it keeps. */
class DeleteFileCacheSpec extends AnyFunSuite {

  private val conf = new Configuration(false)

  private def stored(path: String): StoredDeletes =
    StoredDeletes(path, DeleteFormat.ParquetPositions, 400L, 2L, dataRows = 20L)

  /** A cache whose files all have the same content, and the number of files that it has read. */
  private def reading(
      found: DeletesOfFile,
      limit: Long = 1000000L,
  ): (DeleteFileCache, AtomicInteger) = {
    val count = new AtomicInteger
    val cache = new DeleteFileCache(limit, (_, _, _) => { count.incrementAndGet(): Unit; found })
    (cache, count)
  }

  private val always = DeletesOfFile.Always(DeletedPositions(Array(3L, 8L)))

  private val since = DeletesOfFile.Since(SnapshotPositions(Seq(3L -> 5L, 8L -> 7L)))

  test("a file is read once for all snapshots") {
    val (cache, count) = reading(always)

    val found = (1L to 50L).map(cache.positions(stored("a"), _, "main.t", conf).toVector)

    assert(found.distinct == Vector(Vector(3L, 8L)))
    assert(count.get == 1)
  }

  test("a file with rows of several snapshots is read once, and shows each snapshot its own") {
    val (cache, count) = reading(since)

    val found = Seq(9L, 4L, 5L, 6L, 7L, 8L).map { snapshot =>
      cache.positions(stored("a"), snapshot, "main.t", conf).toVector
    }

    assert(
      found ==
        Seq(Vector(3L, 8L), Vector(), Vector(3L), Vector(3L), Vector(3L, 8L), Vector(3L, 8L))
    )
    assert(count.get == 1)
  }

  test("a scan of more files than 256 finds them all the second time") {
    val (cache, count) = reading(always)
    def scan(): Unit =
      (1 to 300).foreach(n => cache.positions(stored(s"$n"), 1L, "main.t", conf): Unit)

    scan()
    scan()

    assert(count.get == 300)
  }

  test("the limit is one of bytes: the file that was used longest ago goes") {
    val (cache, count) = reading(always, limit = 3 * always.bytes)
    def read(name: String): Unit = cache.positions(stored(name), 1L, "main.t", conf): Unit

    Seq("a", "b", "c", "a", "d").foreach(read)
    assert(count.get == 4)
    Seq("a", "c", "d").foreach(read)
    assert(count.get == 4)
    read("b")

    assert(count.get == 5)
  }

  test("other credentials read the file themselves") {
    val (cache, count) = reading(always)
    def of(secret: String) =
      CatalogFileSystem.scope(new Configuration(false), Map("fs.s3a.secret.key" -> secret))

    Seq("one", "two", "one", "two").foreach { secret =>
      cache.positions(stored("s3a://bucket/a"), 1L, "main.t", of(secret)): Unit
    }

    assert(count.get == 2)
  }

  test("a failure is not kept") {
    val count = new AtomicInteger
    val cache = new DeleteFileCache(
      1000000L,
      (_, _, _) =>
        if (count.incrementAndGet() == 1) throw new IllegalStateException("torn") else always,
    )

    assertThrows[IllegalStateException](cache.positions(stored("a"), 1L, "main.t", conf))
    assert(cache.positions(stored("a"), 1L, "main.t", conf).size == 2)
  }

  test("the limit of the process is a sixteenth of the heap, and 256 MiB at most") {
    val heap = Runtime.getRuntime.maxMemory
    assert(DeleteFileCache.LimitBytes == math.min(heap / 16, 268435456L))
  }
}
