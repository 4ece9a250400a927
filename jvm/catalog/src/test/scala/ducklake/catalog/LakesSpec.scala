package ducklake.catalog

import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.RelationKind
import ducklake.catalog.model.RelationName
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionScope
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.SpanSugar.convertIntToGrainOfTime

import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.time.Instant

class LakesSpec extends AnyFunSuite with CommitFixtures with Eventually {

  private def errorOf(body: => Any): LakeError =
    intercept[LakeException](body: Unit).error

  private def idAt(lake: Lake, time: String): Long =
    lake.atOrBefore(Instant.parse(time)).snapshot.id.value

  test("equal settings give the same lake") {
    val lake = TestLake.create()

    assert(Lakes.open(lake.settings) eq Lakes.open(lake.settings))
    assert(!(Lakes.open(lake.settings) eq Lakes.open(lake.settings.copy(busyTimeoutMillis = 1))))
  }

  test("a schema for the metadata tables is refused where the database has none") {
    val settings = TestLake.create().settings

    val error = errorOf(Lakes.open(settings.copy(metadataSchema = Some("a"))).snapshots())
    assert(error.message.contains("a SQLite file has no schemas"))
    assert(Lakes.open(settings.copy(metadataSchema = Some("main"))).snapshots().size == 1)
  }

  test("a new lake whose folder is named as a file of Hadoop's is opened again") {
    val folder = Files.createTempDirectory("spelled").toRealPath()
    val uri = CatalogUri.Sqlite(folder.resolve("lake.sqlite").toString)
    val settings = TestLake.create().settings.copy(uri = uri, dataPath = Some(s"file:$folder/data"))

    Lakes.open(settings).prepareToWrite(): Unit
    assert(Lakes.open(settings).dataPath() == s"$folder/data/")
  }

  test("snapshots come by id with what they did") {
    val lake = TestLake.create()
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.run(
      "UPDATE ducklake_snapshot_changes SET author = 'me', commit_message = 'why', " +
        "commit_extra_info = 'x' WHERE snapshot_id = 1"
    )

    val snapshots = lake.open.snapshots()
    val (first, second) = (snapshots.head, snapshots.last)
    assert(snapshots.size == 2)
    assert(first.snapshot.id == SnapshotId(0))
    assert(first.changesMade.contains("created_schema:\"main\""))
    assert(first.author.isEmpty)
    assert(second.snapshot.time == Instant.parse("2026-01-01T00:00:01Z"))
    assert(second.snapshot.schemaVersion == 1)
    assert(second.author.contains("me"))
    assert(second.message.contains("why") && second.extraInfo.contains("x"))
  }

  test("catalogs of 0.2 have no authors") {
    val lake = TestLake.create("0.2")

    assert(lake.open.snapshots().map(_.author) == Vector(None))
  }

  test("a time finds the newest snapshot at or before it, of equal times the highest id") {
    val lake = TestLake.create()
    lake.run(
      "INSERT INTO ducklake_snapshot VALUES (1, '2026-01-01 03:00:00.5+02', 0, 1, 0), " +
        "(2, '2026-01-01 01:00:00.5+00', 0, 1, 0)"
    )

    assert(idAt(lake.open, "2026-01-01T00:30:00Z") == 0)
    assert(idAt(lake.open, "2026-01-01T01:00:00.500Z") == 2)
  }

  test("times are found by their order in the database, on SQLite and in DuckDB files") {
    val folder = Files.createTempDirectory("times")
    val others = TestLake.create().settings
    val uris =
      Vector(CatalogUri.Sqlite(s"$folder/l.sqlite"), CatalogUri.DuckDb(s"$folder/l.duckdb"))
    uris.foreach { uri =>
      val lake = Lakes.open(others.copy(uri = uri, dataPath = Some("/data")))
      val first = lake.prepareToWrite().snapshot
      lake.setOptions(option("data_inlining_row_limit", "10"))

      assert(lake.atOrBefore(first.time).snapshot == first)
      assert(lake.atOrBefore(first.time.plusSeconds(90)).snapshot == first)
      val before = errorOf(lake.atOrBefore(first.time.minusNanos(1000)))
      assert(
        before == LakeError.NoSuchSnapshot(s"at or before ${first.time.minusNanos(1000)}", "0", "0")
      )
    }
  }

  test("fractions of seconds are compared as numbers, whatever zeros they are written with") {
    val lake = TestLake.create()
    lake.run(
      "INSERT INTO ducklake_snapshot VALUES (1, '2026-01-01 01:00:00.500+00', 0, 1, 0), " +
        "(2, '2026-01-01 01:00:00.55+00', 0, 1, 0)"
    )

    assert(idAt(lake.open, "2026-01-01T01:00:00.5Z") == 1)
    assert(idAt(lake.open, "2026-01-01T01:00:00.549Z") == 1)
    lake.run(
      "UPDATE ducklake_snapshot SET snapshot_time = '2026-01-01 01:00:00.5+00' WHERE snapshot_id = 1"
    )
    assert(idAt(lake.open, "2026-01-01T01:00:00.5Z") == 1)
    assert(idAt(lake.open, "2026-01-01T01:00:00.499Z") == 0)
    assert(idAt(lake.open, "2026-01-01T01:00:00.55Z") == 2)
  }

  test("a snapshot that is not kept is named with those that are") {
    val lake = TestLake.create()
    lake.snapshot(1, 0, 0, "")
    lake.snapshot(2, 0, 0, "")
    lake.run("DELETE FROM ducklake_snapshot WHERE snapshot_id = 0")

    assert(errorOf(lake.open.at(SnapshotId(0))) == LakeError.NoSuchSnapshot("0", "1", "2"))
    assert(errorOf(lake.open.at(SnapshotId(9))) == LakeError.NoSuchSnapshot("9", "1", "2"))
    val early = Instant.parse("2020-01-01T00:00:00Z")
    val expected = LakeError.NoSuchSnapshot("at or before 2020-01-01T00:00:00Z", "1", "2")
    assert(errorOf(lake.open.atOrBefore(early)) == expected)
  }

  test("a database without a lake is empty or refused, and nothing is created") {
    val folder = Files.createTempDirectory("none")
    val missing = TestLake.create().settings.copy(uri = CatalogUri.Sqlite(s"$folder/none.sqlite"))
    val refusing = missing.copy(absence = AbsenceRule.Refuse("the catalog is read-only"))

    assert(Lakes.open(missing).newest().isEmpty)
    assert(Lakes.open(missing).snapshots().isEmpty)
    assert(
      errorOf(Lakes.open(refusing).newest()) ==
        LakeError.NoLake(s"sqlite:$folder/none.sqlite", "the catalog is read-only")
    )
    assert(folder.toFile.list.isEmpty)
  }

  test("a SQLite database with other tables has no lake") {
    val lake = TestLake.create()
    lake.run("DROP TABLE ducklake_snapshot")

    assert(lake.open.newest().isEmpty)
  }

  test("a file that is no database is refused") {
    val file = Files.createTempFile("text", ".sqlite")
    Files.writeString(file, "hello ".repeat(200)): Unit
    val settings = TestLake.create().settings.copy(uri = CatalogUri.Sqlite(file.toString))

    assert(errorOf(Lakes.open(settings).newest()).condition == "DUCKLAKE_NOT_A_DATABASE")
    val duckDb = settings.copy(uri = CatalogUri.DuckDb(file.toString))
    assert(errorOf(Lakes.open(duckDb).newest()).condition == "DUCKLAKE_NOT_A_DATABASE")
  }

  test("a folder in the place of the file is refused, and nothing is made in it") {
    val folder = Files.createTempDirectory("folder")
    val uris = Seq(CatalogUri.Sqlite(folder.toString), CatalogUri.DuckDb(folder.toString))

    uris.foreach { uri =>
      val lake = Lakes.open(TestLake.create().settings.copy(uri = uri))
      val kind = if (uri.kind == "sqlite") "SQLite" else "DuckDB"
      val expected = LakeError.NotADatabase(s"${uri.kind}:$folder", kind, "it is a folder")
      assert(errorOf(lake.newest()) == expected)
      assert(errorOf(lake.prepareToWrite()) == expected)
    }
    assert(folder.toFile.list.isEmpty)
  }

  test("where there is no lake, its settings tell what a new one would have") {
    val missing = Files.createTempDirectory("none").resolve("typo")
    val settings = TestLake
      .create()
      .settings
      .copy(uri = CatalogUri.Sqlite(missing.toString), absence = AbsenceRule.Refuse("read-only"))
    val lake = Lakes.open(settings)

    assert(!lake.isThere())
    assert(lake.dataPath() == s"$missing.files/")
    assert(Lakes.open(settings.copy(dataPath = Some("/a/../b"))).dataPath() == "/b/")
    assert(TestLake.create().open.isThere())
  }

  test("an unknown version is refused by name") {
    val lake = TestLake.create()
    lake.run("UPDATE ducklake_metadata SET \"value\" = '1.2' WHERE \"key\" = 'version'")

    assert(
      errorOf(lake.open.newest()) == LakeError.UnsupportedVersion(
        s"sqlite:${lake.file}",
        "1.2",
        Seq("0.1", "0.2", "0.3-dev1", "0.3", "0.4-dev1", "0.4", "1.0", "1.1-dev1", "1.1"),
      )
    )
  }

  test("a database that another process has locked is waited for, then reported") {
    val lake = TestLake.create()
    val locking =
      new org.sqlite.JDBC().connect(s"jdbc:sqlite:${lake.file}", new java.util.Properties)
    try {
      locking.createStatement().execute("BEGIN EXCLUSIVE"): Unit

      assert(errorOf(lake.open.newest()) == LakeError.CatalogBusy(s"sqlite:${lake.file}", 200))
    } finally locking.close()
    assert(lake.open.newest().nonEmpty)
  }

  test("an interrupt ends the wait for a locked database and stays set") {
    val lake = TestLake.create()
    val patient = Lakes.open(lake.settings.copy(busyTimeoutMillis = 60000))
    val locking =
      new org.sqlite.JDBC().connect(s"jdbc:sqlite:${lake.file}", new java.util.Properties)
    try {
      locking.createStatement().execute("BEGIN EXCLUSIVE"): Unit
      Thread.currentThread().interrupt()
      val error = errorOf(patient.newest())

      assert(Thread.interrupted())
      assert(error.condition == "DUCKLAKE_STATEMENT_INTERRUPTED")
    } finally locking.close()
  }

  test("a user who may only read gets an error that says so") {
    val lake = TestLake.create()
    lake.table(1, "t", (1, "id", "int64"))
    val reading = Lakes.open(lake.settings.copy(jdbcProperties = Map("open_mode" -> "1")))

    assert(reading.newest().exists(_.schemas().nonEmpty))
    assert(
      errorOf(
        reading.setOptions(option("parquet_version", "2"))
      ).condition ==
        "DUCKLAKE_NOT_PERMITTED"
    )
  }

  /** How many files of this process lead to the lake's. */
  private def openFiles(lake: TestLake): Int =
    Path.of("/proc/self/fd").toFile.listFiles.count { link =>
      // Other threads of the process close files meanwhile.
      try Files.readSymbolicLink(link.toPath).startsWith(lake.file)
      catch { case _: IOException => false }
    }

  test("a lake that is closed has nothing open, and can be used again") {
    assume(Files.exists(Path.of("/proc/self/fd")), "the system does not show what is open")
    val lake = TestLake.create()
    val opened = lake.open
    assert(opened.newest().nonEmpty && openFiles(lake) == 1)

    opened.close()
    assert(openFiles(lake) == 0)

    assert(opened.newest().nonEmpty && openFiles(lake) == 1)
    Lakes.closeAll()
    assert(openFiles(lake) == 0)
  }

  test("a lake that nobody holds is closed") {
    assume(Files.exists(Path.of("/proc/self/fd")), "the system does not show what is open")
    val lake = TestLake.create()
    assert(lake.open.newest().nonEmpty)

    eventually(timeout(60.seconds)) {
      System.gc()
      assert(openFiles(lake) == 0)
    }
  }

  test("reading leaves no file behind and locks nothing, also where writing is forbidden") {
    val lake = TestLake.create()
    lake.table(1, "t", (1, "id", "int64"))
    lake.file.toFile.setWritable(false): Unit
    lake.file.getParent.toFile.setWritable(false): Unit

    assert(lake.open.newest().exists(_.schemas().nonEmpty))

    lake.file.getParent.toFile.setWritable(true): Unit
    lake.file.toFile.setWritable(true): Unit
    assert(lake.file.getParent.toFile.list.toVector == Vector("lake.sqlite"))
    lake.run("BEGIN EXCLUSIVE", "COMMIT")
  }

  test("another lake at the same path is seen, with the same numbers") {
    val lake = TestLake.create()
    lake.snapshot(1, 1, 0, "")
    lake.table(1, "t", (1, "old", "int64"))
    def column = lake.open.newest().flatMap(_.table("main", "t")).map(_.columns.head.name)
    val before = column

    Files.delete(lake.file)
    lake.fill("00000000-0000-4000-8000-000000000001")
    lake.snapshot(1, 1, 0, "")
    lake.table(1, "t", (1, "new", "int64"))

    assert(before.contains("old"))
    assert(column.contains("new"))
  }

  test("a data path must be the stored one, or override it") {
    val lake = TestLake.create()
    val same = lake.settings.copy(dataPath = Some("/data"))
    val other = lake.settings.copy(dataPath = Some("/elsewhere"))
    val overriding = other.copy(dataPathRule = DataPathRule.Override)

    assert(Lakes.open(same).dataPath() == "/data/")
    assert(errorOf(Lakes.open(other).newest()).condition == "DUCKLAKE_INVALID_SETTING")
    assert(Lakes.open(overriding).dataPath() == "/elsewhere/")
  }

  test("a relative data path of a lake without files belongs to the folder of its catalog") {
    val lake = TestLake.create()
    lake.run("UPDATE ducklake_metadata SET \"value\" = 'data' WHERE \"key\" = 'data_path'")
    val absolute = Path.of("data").toAbsolutePath.toString

    assert(lake.open.dataPath() == s"${lake.file.getParent}/data/")
    assert(Lakes.open(lake.settings.copy(dataPath = Some(absolute))).dataPath() == s"$absolute/")
  }

  test("settings show the names of JDBC properties only") {
    val settings = TestLake.create().settings.copy(jdbcProperties = Map("password" -> "s3cret"))

    assert(settings.toString.contains("password -> hidden"))
    assert(!settings.toString.contains("s3cret"))
  }

  test("options come with their scope") {
    val lake = TestLake.create()
    lake.run("INSERT INTO ducklake_metadata VALUES ('target_file_size', '5', 'table', 3)")

    val options = lake.open.options()
    assert(options.contains(LakeOption("version", "1.0", OptionScope.Global)))
    assert(options.contains(LakeOption("target_file_size", "5", OptionScope.OfTable(TableId(3)))))
  }

  test("of two rows of one option the last counts") {
    val lake = TestLake.create()
    lake.run(
      "INSERT INTO ducklake_metadata VALUES ('target_file_size', '5', 'table', 3), " +
        "('target_file_size', '6', NULL, NULL), ('target_file_size', '7', 'table', 3)"
    )

    val sizes = lake.open.options().filter(_.key == "target_file_size")
    assert(sizes.map(_.value) == Vector("6", "7"))
  }

  test("the garbage list is relative to the data path") {
    val lake = TestLake.create()
    lake.run(
      "INSERT INTO ducklake_files_scheduled_for_deletion VALUES " +
        "(2, '/abs/b.parquet', 0, '2026-01-02 00:00:00+00'), " +
        "(1, 'main/t/a.parquet', 1, '2026-01-01 00:00:00+00')"
    )

    assert(
      lake.open.scheduledForDeletion(None).map(f => (f.path, f.scheduled.toString)).toVector ==
        Vector(
          ("/abs/b.parquet", "2026-01-02T00:00:00Z"),
          ("/data/main/t/a.parquet", "2026-01-01T00:00:00Z"),
        )
    )
  }

  test("names are found exactly first, then without regard to case") {
    val lake = TestLake.create()
    lake.snapshot(1, 1, 0, "")
    lake.table(1, "Orders", (1, "id", "int64"))
    lake.table(2, "orders2", (1, "id", "int64"))
    val at = lake.open.newest().get

    assert(at.table("MAIN", "ORDERS").map(_.name).contains("Orders"))
    assert(at.table("main", "orders").map(_.id).contains(TableId(1)))
    assert(at.table("main", "none").isEmpty)
    assert(
      at.relations(at.schema("main").get) ==
        Vector(
          RelationName("Orders", RelationKind.Table),
          RelationName("orders2", RelationKind.Table),
        )
    )
    assert(at.tableName(TableId(1)).contains("main.Orders"))
  }
}
