package ducklake.catalog.jdbc.engine

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.BaseTablesSpec
import ducklake.catalog.jdbc.ConnectionPolicy
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.sql.DuckDbDialect
import org.scalatest.funsuite.AnyFunSuite

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import java.nio.file.Path
import java.sql.SQLException
import java.util.Properties
import java.util.concurrent.ConcurrentLinkedQueue

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.CollectionHasAsScala

/** Who gets at a DuckDB file when, and what it says of a file that it cannot use. */
class DuckDbPolicySpec extends AnyFunSuite {

  private val longWait = 60000

  private def policyOf(file: Path, properties: (String, String)*): DuckDbPolicy =
    new DuckDbPolicy(
      file.toString,
      longWait,
      properties.toMap,
      BaseTablesSpec.of(DuckDbDialect("main")),
    )

  private def database(file: Path, policy: ConnectionPolicy): Database =
    new Database(s"duckdb:$file", DuckDbDialect("main"), longWait, policy)

  private def newFile(): Path = {
    val file = Files.createTempDirectory("duck").resolve("a.duckdb")
    val made = new org.duckdb.DuckDBDriver().connect(s"jdbc:duckdb:$file", new Properties)
    made.createStatement().execute("CREATE TABLE t (a INTEGER)"): Unit
    made.close()
    file
  }

  /** The numbers of a file's storage version: the one in its main header, and the one of the newer
    * of its two database headers.
    */
  private def storageOf(file: Path): (Long, Long) = {
    val bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN)
    val newest = Vector(4096, 8192).maxBy(header => bytes.getLong(header + 8))
    (bytes.getLong(12), bytes.getLong(newest + 56))
  }

  private def written(file: Path, statement: String): Unit = {
    val lease = policyOf(file).lendToWrite()
    try lease.connection.createStatement().execute(statement): Unit
    finally lease.giveBack()
  }

  private def started(body: => Unit): Thread = {
    val thread = new Thread(() => body)
    thread.start()
    thread
  }

  @tailrec
  private def awaitWaiting(thread: Thread): Unit =
    if (thread.isAlive && thread.getState != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait()
      awaitWaiting(thread)
    }

  test("a writer that waits keeps new readers out") {
    val policy = policyOf(newFile())
    val order = new ConcurrentLinkedQueue[String]()
    val early = policy.lend()

    val writer = started {
      val lease = policy.lendToWrite()
      order.add("writer"): Unit
      lease.giveBack()
    }
    awaitWaiting(writer)
    val reader = started {
      val lease = policy.lend()
      order.add("reader"): Unit
      lease.giveBack()
    }
    awaitWaiting(reader)
    early.giveBack()
    writer.join()
    reader.join()

    assert(order.asScala.toVector == Vector("writer", "reader"))
  }

  test("a call that fails after the file was attached lets go of the file") {
    val policy = policyOf(newFile(), "lock_configuration" -> "true")

    val read = intercept[SQLException](policy.lend())
    val write = intercept[SQLException](policy.lendToWrite())

    assert(read.getMessage.contains("configuration has been locked"))
    assert(write.getMessage.contains("configuration has been locked"))
  }

  test("an interrupt ends the wait for the file, changes nothing and stays set") {
    val file = newFile()
    val policy = policyOf(file)
    val ended = new ConcurrentLinkedQueue[(WriteOutcome[Unit], Boolean)]()
    val reader = policy.lend()

    val writer = started {
      val outcome = database(file, policy).write("commit")(_ => ())
      ended.add((outcome, Thread.currentThread().isInterrupted)): Unit
    }
    awaitWaiting(writer)
    writer.interrupt()
    writer.join()
    reader.giveBack()

    ended.asScala.toVector match {
      case Vector((WriteOutcome.Failed(failure, cause), isInterrupted)) =>
        assert(failure == SqlFailure.Interrupted)
        assert(cause.error == LakeError.StatementInterrupted("waited to commit"))
        assert(isInterrupted)
      case other => fail(other.toString)
    }
  }

  test("a file of a newer DuckDB: the error has the version that wrote it") {
    val file = newFile()
    val bytes = Files.readAllBytes(file)
    val header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    header.putLong(12, 99L): Unit
    header.put(52, "v9.8.7\u0000".getBytes): Unit
    header.putLong(0, checksum(header)): Unit
    Files.write(file, bytes): Unit

    val error = intercept[LakeException] {
      database(file, policyOf(file)).single("read the lake")(_ => ())
    }.error

    val known = "64 to 69"
    val address = s"duckdb:$file"
    assert(error == LakeError.UnsupportedStorage(address, "99", "DuckDB v9.8.7", known))
  }

  test("every DuckDB since 1.0 can open a new file") {
    val file = Files.createTempDirectory("duck").resolve("new.duckdb")

    written(file, "CREATE TABLE ducklake_catalog.t (a INTEGER)")

    assert(storageOf(file) == (64L, 1L))
  }

  test("a file keeps its storage version when it is written") {
    val versions = Vector(
      "v1.0.0" -> (64L, 1L),
      "v1.2.0" -> (65L, 4L),
      "v1.3.0" -> (66L, 5L),
      "v1.4.0" -> (67L, 6L),
      "v1.5.0" -> (68L, 7L),
      "v2.0.0" -> (999L, 69L),
    )
    versions.foreach { case (version, numbers) =>
      val file = Files.createTempDirectory("duck").resolve("old.duckdb")
      val made = new org.duckdb.DuckDBDriver().connect("jdbc:duckdb:", new Properties)
      val statement = made.createStatement()
      statement.execute(s"ATTACH '$file' AS old (STORAGE_VERSION '$version')")
      statement.execute("CREATE TABLE old.t (a INTEGER)"): Unit
      made.close()
      assert(storageOf(file) == numbers, version)

      written(file, "INSERT INTO ducklake_catalog.t SELECT range FROM range(100000)")
      written(file, "ALTER TABLE ducklake_catalog.t ADD COLUMN b BOOLEAN")

      assert(storageOf(file) == numbers, version)
    }
  }

  /** DuckDB's, of the first block of 4096 bytes behind the checksum. */
  private def checksum(header: ByteBuffer): Long =
    (8 until 4096 by 8).foldLeft(5381L) { (sum, at) =>
      sum ^ (header.getLong(at) * 0xbf58476d1ce4e5b9L)
    }

  test("a database in memory from which the file did not go is replaced") {
    val policy = policyOf(newFile())
    val first = policy.lend()
    first.connection.createStatement().execute("DETACH ducklake_catalog"): Unit

    intercept[SQLException](first.giveBack()): Unit
    val second = policy.lend()

    val statement = second.connection.createStatement()
    val rows = statement.executeQuery("SELECT count(*) FROM ducklake_catalog.t")
    assert(rows.next() && rows.getInt(1) == 0)
    second.giveBack()
  }

  /** The failures, when both read at once, and each waits to write until the other has read. */
  private def sharing(one: DuckDbPolicy, other: DuckDbPolicy): Vector[Throwable] = {
    val failures = new ConcurrentLinkedQueue[Throwable]()
    Seq((one, other), (other, one)).foreach { case (reading, writing) =>
      val reader = reading.lend()
      writing.lend().giveBack()
      val writer = started {
        try writing.lendToWrite().giveBack()
        catch { case error: Throwable => failures.add(error): Unit }
      }
      awaitWaiting(writer)
      reader.giveBack()
      writer.join()
    }
    failures.asScala.toVector
  }

  test("lakes of this process share a file, and wait for each other") {
    val file = newFile()

    assert(sharing(policyOf(file), policyOf(file)) == Vector.empty)
  }

  test("lakes of other settings share a file of this process, and wait for each other") {
    val file = newFile()

    assert(sharing(policyOf(file), policyOf(file, "memory_limit" -> "1GB")) == Vector.empty)
  }

  test("lakes share a file of this process by all its names") {
    val file = newFile()
    val link = Files.createTempDirectory("duck").resolve("link.duckdb")
    Files.createSymbolicLink(link, file): Unit
    val folder = Files.createTempDirectory("duck").resolve("folder")
    Files.createSymbolicLink(folder, file.getParent): Unit

    assert(sharing(policyOf(file), policyOf(link)) == Vector.empty)
    assert(sharing(policyOf(file), policyOf(folder.resolve("a.duckdb"))) == Vector.empty)
    assert(
      sharing(
        policyOf(file),
        policyOf(folder.resolve("a.duckdb"), "memory_limit" -> "1GB"),
      ) == Vector.empty
    )
  }

  test("lakes share a file that is made after they were opened") {
    val folder = Files.createTempDirectory("duck")
    val link = Files.createTempDirectory("duck").resolve("folder")
    Files.createSymbolicLink(link, folder): Unit
    val (one, other) = (policyOf(folder.resolve("a.duckdb")), policyOf(link.resolve("a.duckdb")))

    one.lendToWrite().giveBack()

    assert(sharing(one, other) == Vector.empty)
    assert(sharing(one, policyOf(link.resolve("a.duckdb"))) == Vector.empty)
  }

  /** The value of a setting where the file is read. */
  private def setting(policy: DuckDbPolicy, name: String): String = {
    val lease = policy.lend()
    try {
      val question = s"SELECT value FROM duckdb_settings() WHERE name = '$name'"
      val found = lease.connection.createStatement().executeQuery(question)
      assert(found.next())
      found.getString(1)
    } finally lease.giveBack()
  }

  test("the memory outside of the heap has a limit, which a key of the catalog changes") {
    val file = newFile()

    assert(setting(policyOf(file), "memory_limit") == "488.2 MiB")
    assert(setting(policyOf(file, "memory_limit" -> "2GiB"), "memory_limit") == "2.0 GiB")
    assert(setting(policyOf(file, "max_memory" -> "2GiB"), "memory_limit") == "2.0 GiB")
  }

  test("what the memory does not hold goes to a temporary folder, which is removed") {
    val policy = policyOf(newFile(), "memory_limit" -> "32MB")
    val folder = Path.of(setting(policy, "temp_directory"))
    val lease = policy.lend()
    try {
      val sorted =
        "SELECT count(*) FROM (SELECT hash(i) h, i FROM range(4000000) r(i) ORDER BY h " +
          "LIMIT 3000000)"
      lease.connection.createStatement().executeQuery(sorted).next(): Unit
      assert(Files.isDirectory(folder))
    } finally lease.giveBack()
    policy.close()

    assert(folder.getParent == Path.of(System.getProperty("java.io.tmpdir")))
    assert(!Files.exists(folder))
  }
}
