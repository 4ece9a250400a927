package ducklake.catalog

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.Predicate.*
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.text.ValueText
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Tables whose files the database chooses, because memory holds no index of all. SQLite here; the
  * other databases have `e2e/test_many_files.py`.
  */
class CandidateFilesSpec extends AnyFunSuite {
  private val files = 300

  private val kinds: Vector[(String, LakeType.Primitive, Random => Literal, Vector[String])] =
    Vector(
      (
        "int8",
        LakeType.Int8,
        r => Literal.Integral(r.between(-128L, 128L)),
        Vector("300", "-300", "007", "-0", "+5", "5.0", "1e1", " 5", ""),
      ),
      (
        "int64",
        LakeType.Int64,
        r => Literal.Integral(pick(r, numbers)),
        Vector("9223372036854775808", "-9223372036854775809", "99999999999999999999999", "x", "-"),
      ),
      (
        "date",
        LakeType.Date,
        r => Literal.Date(r.between(19700, 20500)),
        Vector(
          "infinity",
          "-infinity",
          "0044-03-15 (BC)",
          "12024-01-01",
          "2024-02-31",
          "2024-13-01",
          "2024-1-5",
          "2024-02-29",
          "2024-01-05 10:00:00",
          "0000-01-01",
        ),
      ),
      (
        "timestamp",
        LakeType.Timestamp,
        r => Literal.Timestamp(r.between(1700000000L, 1770000000L) * 1000000L + pick(r, micros)),
        Vector(
          "2024-01-15",
          "2024-01-15 24:00:00",
          "2024-01-15 10:00:00.50",
          "2024-01-15 10:00:00.",
          "2024-01-15 10:00:00.1234567",
          "2024-01-15 10:00:00+00",
          "2024-01-15T10:00:00",
          "infinity",
        ),
      ),
      (
        "timestamptz",
        LakeType.TimestampTz,
        r => Literal.Timestamp(r.between(1700000000L, 1770000000L) * 1000000L + pick(r, micros)),
        Vector("2024-01-15 10:00:00+02", "2024-01-15 10:00:00", "2024-01-15 10:00:00.5+00:00"),
      ),
      ("varchar", LakeType.Varchar, r => Literal.Text(pick(r, texts)), Vector.empty),
      ("float64", LakeType.Float64, r => Literal.Floating(r.nextInt(9).toDouble), Vector("nan")),
    )

  private val numbers =
    Vector(
      Long.MinValue,
      -1000000000000000000L,
      -9L,
      0L,
      5L,
      40L,
      1000000000000000001L,
      Long.MaxValue,
    )
  private val micros = Vector(0L, 500000L, 250000L, 1L, 999999L)
  private val texts = Vector("", "a", "aa", "ab", "b", "é", "\uffee", "🦆", "🦆a", "it's %_")

  private def pick[A](r: Random, from: Vector[A]): A = from(r.nextInt(from.size))

  private val columns = kinds.indices.map(at => ColumnId(at + 1L)).toVector

  private def text(value: String): String = s"'${value.replace("'", "''")}'"

  /** A table with a column of each kind, and statistics as engines write them, with others among
    * them.
    */
  private def lakeOf(r: Random): TestLake = {
    val lake = TestLake.create("1.0")
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    val named = kinds.zipWithIndex.map { case ((name, _, _, _), at) => (at + 1L, s"c$at", name) }
    lake.table(1, "t", named: _*)
    lake.snapshot(2, 1, files.toLong, "inserted_into_table:1")
    lake.run(
      s"WITH RECURSIVE ids(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM ids WHERE id < ${files - 1}) " +
        "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, path, " +
        "path_is_relative, file_format, record_count, file_size_bytes, footer_size, row_id_start) " +
        "SELECT id, 1, 2, 'f' || id || '.parquet', 1, 'parquet', 100, 1000, 10, id * 100 FROM ids"
    )
    val rows =
      for (file <- 0 until files; at <- kinds.indices; row <- statistics(r, file, at))
        yield row
    lake.run(
      "INSERT INTO ducklake_file_column_stats (data_file_id, table_id, column_id, min_value, " +
        s"max_value, value_count, null_count, contains_nan) VALUES ${rows.mkString(", ")}"
    )
    lake
  }

  private def statistics(r: Random, file: Int, at: Int): Option[String] = {
    val (_, lakeType, value, odd) = kinds(at)
    def bound(literal: Literal): String =
      if (r.nextInt(12) == 0) "NULL"
      else if (odd.nonEmpty && r.nextInt(8) == 0) text(pick(r, odd))
      else ValueText.print(literal, lakeType).fold("NULL")(text)
    val order = LiteralOrder.of(lakeType).getOrElse(fail("no order"))
    val ends = Vector(value(r), value(r)).sorted(order)
    def count(other: Int) = pick(r, Vector("NULL", "0", other.toString, other.toString))
    Option.when(r.nextInt(15) != 0) {
      val (values, nulls) = (count(100), count(3))
      s"($file, 1, ${at + 1}, ${bound(ends(0))}, ${bound(ends(1))}, $values, $nulls, 0)"
    }
  }

  private val operators = Vector(
    Comparison.Equal,
    Comparison.NotEqual,
    Comparison.Less,
    Comparison.LessOrEqual,
    Comparison.Greater,
    Comparison.GreaterOrEqual,
  )

  private def predicate(r: Random, depth: Int): Predicate = {
    val at = r.nextInt(kinds.size)
    def value = kinds(at)._3(r)
    def leaf: Predicate = r.nextInt(8) match {
      case 0 => IsNull(columns(at))
      case 1 => IsNotNull(columns(at))
      case 2 => In(columns(at), Vector.fill(1 + r.nextInt(40))(value).distinct)
      case 3 =>
        value match {
          case Literal.Text(text) => StartsWith(columns(at), text)
          case other => Compare(columns(at), Comparison.Equal, other)
        }
      case _ => Compare(columns(at), pick(r, operators), value)
    }
    if (depth == 0) leaf
    else
      r.nextInt(5) match {
        case 0 => Not(predicate(r, depth - 1))
        case 1 => And(predicate(r, depth - 1), predicate(r, depth - 1))
        case 2 => Or(predicate(r, depth - 1), predicate(r, depth - 1))
        case _ => leaf
      }
  }

  private def list(lake: TestLake, memory: PlanMemory, request: FileRequest): FileListing =
    list(Lakes.open(lake.settings.copy(planMemory = memory)), request)

  private def list(opened: Lake, request: FileRequest): FileListing = {
    val at = opened.newest().getOrElse(fail("no lake"))
    at.files(at.table("main", "t").getOrElse(fail("no table")), request)
  }

  private def ids(listing: FileListing): Vector[Long] = listing.files.map(_.id.value)

  private val noIndex = PlanMemory(bytes = 10000000L, indexBytes = 0)

  test("the database chooses the files that an index of all chooses") {
    val r = new Random(20261130L)
    val found = Vector.fill(2)(lakeOf(r)).flatMap { lake =>
      val byIndex = lake.open
      val byDatabase = Lakes.open(lake.settings.copy(planMemory = noIndex))
      Vector.fill(60) {
        val some = Vector.fill(1 + r.nextInt(2))(predicate(r, depth = 3))
        val request = FileRequest(some, Set(ColumnId(1), ColumnId(6)), None, asksFullMatches = true)
        val (indexed, chosen) =
          (list(byIndex, request), list(byDatabase, request))
        assert(ids(chosen) == ids(indexed), some)
        assert(chosen.listedFiles == files && chosen.listedBytes == files * 1000L)
        assert((chosen.statistics == indexed.statistics), some)
        assert(
          chosen.files.map(file => chosen.fullMatches(file.id)) ==
            indexed.files.map(file => indexed.fullMatches(file.id))
        )
        (0 until files).count(id => chosen.isPruned(DataFileId(id.toLong))) -> chosen.files.size
      }
    }

    assert(found.count { case (_, matching) => matching < files / 2 } > found.size / 3)
    val (pruned, matching) = (found.map(_._1).sum, found.map(_._2).sum)
    assert(pruned < (found.size * files - matching) / 2, "the database chooses too many")
  }

  /** A table of `c0 int8` to `c6`, whose file n has the numbers n and n + 1 as bounds of `c1`. */
  private def sorted(): TestLake = {
    val lake = lakeOf(new Random(1L))
    lake.run(
      "DELETE FROM ducklake_file_column_stats",
      "INSERT INTO ducklake_file_column_stats (data_file_id, table_id, column_id, min_value, " +
        "max_value, value_count, null_count) " +
        "SELECT data_file_id, 1, 2, data_file_id, data_file_id + 1, 100, 0 FROM ducklake_data_file",
    )
    lake
  }

  private def number(operator: Comparison, value: Long): FileRequest =
    FileRequest(Vector(Compare(ColumnId(2), operator, Literal.Integral(value))), Set.empty, None)

  private val forTen = PlanMemory(bytes = 6070L, indexBytes = 0)

  private def refused(lake: TestLake, request: FileRequest): String =
    intercept[LakeException](list(lake, forTen, request)).error match {
      case error @ LakeError.TooManyFiles("main.t", _, 10, 6070) => error.files
      case other => fail(other.message)
    }

  test("more files than memory holds are refused, and only then") {
    val lake = sorted()

    assert(ids(list(lake, forTen, number(Comparison.Less, 10))) == Vector.range(0, 10))
    assert(refused(lake, number(Comparison.Less, 11)) == "more than 10")
    assert(refused(lake, number(Comparison.NotEqual, 7)) == "more than 10")
    assert(refused(lake, FileRequest.everyFile) == "300")
    assert(refused(lake, FileRequest.everyFile.copy(enoughRows = Some(30000))) == "more than 10")
  }

  test("files without statistics are found, and looked for once") {
    val lake = sorted()
    val opened = Lakes.open(lake.settings.copy(planMemory = forTen))
    def found(): Vector[Long] = {
      val at = opened.newest().getOrElse(fail("no lake"))
      ids(at.files(at.table("main", "t").getOrElse(fail("no table")), number(Comparison.Equal, 5)))
    }
    lake.run("DELETE FROM ducklake_file_column_stats WHERE data_file_id = 100")

    assert(found() == Vector(4, 5, 100))
    lake.run("DELETE FROM ducklake_file_column_stats WHERE data_file_id = 200")
    assert(found() == Vector(4, 5, 100))
    lake.snapshot(3, 1, files + 2L, "inserted_into_table:1")
    lake.dataFile(files.toLong, 1, 3)
    lake.dataFile(files + 1L, 1, 3)
    lake.statistics(files + 1L, 1, 2, "1000", "2000")
    assert(found() == Vector(4, 5, 100, 300))
    lake.run("UPDATE ducklake_snapshot SET snapshot_time = '2025-05-05 00:00:00+00'")
    assert(found() == Vector(4, 5, 100, 200, 300))
  }

  test("files of an earlier listing are tested by themselves") {
    val lake = sorted()
    val earlier = Vector(3L, 5L, 200L, 900L).map(DataFileId(_))
    val asked = number(Comparison.GreaterOrEqual, 6).copy(among = Some(earlier))

    val listing = list(lake, forTen, asked)

    assert(earlier.map(listing.isPruned) == Vector(true, false, false, false))
    assert(ids(listing) == Vector(5, 200))
  }

  test("bounds that are asked for come with the files") {
    val asked = number(Comparison.Equal, 5).copy(bounds = Set(ColumnId(2), ColumnId(9)))

    val bounds = list(sorted(), forTen, asked).bounds.of(DataFileId(5))

    assert(bounds.keySet == Set(ColumnId(2)))
    assert(bounds(ColumnId(2)).max.contains(Literal.Integral(6)))
  }
}
