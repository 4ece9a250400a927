package ducklake.spark.read

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.files.delete.StoredDeletes
import ducklake.files.parquet.ReservedFields
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.vector.PackedRows
import ducklake.spark.parquet.vector.RowPage
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.TaskRows.data
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

class VisibleRowsRuleSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val files = new DuckDbFiles

  override protected def afterAll(): Unit = files.close()

  private val a = column(1, "a", LakeType.Int64)
  private val rowCount = 10000

  /** Ten thousand rows 0, 1, 2, … in five row groups. */
  private lazy val numbers: Path =
    files.write(
      "numbers.parquet",
      s"SELECT range AS a FROM range($rowCount)",
      "{a: 1}",
      ", ROW_GROUP_SIZE 2048",
    )

  private def positions(name: String, query: String): Path =
    files.write(name, query, "{file_path: 2147483646, pos: 2147483645}")

  private def deletedBy(file: Path, format: DeleteFormat): FilePart =
    TaskRows
      .part(numbers)
      .copy(
        recordCount = rowCount.toLong,
        deletes =
          Vector(StoredDeletes(s"file:$file", format, Files.size(file), 0L, rowCount.toLong)),
      )

  private def longs(spec: ReadSpec, parts: FilePart*): Vector[Long] =
    TaskRows.of(spec, parts*).map(_.head.asInstanceOf[Long])

  private val plain = TaskRows.spec(data(a))
  private val all = Vector.range(0L, rowCount.toLong)

  test("rows named by a delete file are left out, in all row groups") {
    val file = positions(
      "even.parquet",
      s"SELECT 'x' AS file_path, range AS pos FROM range(0, $rowCount, 2)",
    )

    assert(longs(plain, deletedBy(file, DeleteFormat.ParquetPositions)) == all.filter(_ % 2 == 1))
  }

  test("deletes of the catalog add to those of the file, and whole row groups may go") {
    val file = positions(
      "first.parquet",
      "SELECT 'x' AS file_path, range AS pos FROM range(0, 5000)",
    )
    val part = deletedBy(file, DeleteFormat.ParquetPositions)
      .copy(inlinedDeletes = Array(4999L, 5000L, 9999L))

    assert(longs(plain, part) == Vector.range(5001L, 9999L))
  }

  test("a delete with a snapshot of its own counts from that snapshot on") {
    val file = files.write(
      "dated.parquet",
      "SELECT * FROM (VALUES ('x', 1::BIGINT, 50::BIGINT), ('x', 2, 100), ('x', 3, 101)) " +
        "v(file_path, pos, _ducklake_internal_snapshot_id)",
      "{file_path: 2147483646, pos: 2147483645, _ducklake_internal_snapshot_id: 2147483539}",
    )

    assert(
      longs(plain, deletedBy(file, DeleteFormat.ParquetPositions)).take(4) == Vector(0, 3, 4, 5)
    )
  }

  test("a delete file that names a position beyond the rows is an error that names it") {
    val file = positions("beyond.parquet", s"SELECT 'x' AS file_path, $rowCount::BIGINT AS pos")

    val refused = intercept[LakeException](
      longs(plain, deletedBy(file, DeleteFormat.ParquetPositions))
    )

    assert(refused.error.parameters("path").contains("beyond.parquet"))
    assert(refused.error.parameters("why").contains("position 10000 is no row of the data file"))
  }

  test("a file with other rows than the catalog says is an error, whole or in parts") {
    val part = TaskRows.part(numbers)
    val half = part.sizeBytes / 2
    val (first, last) =
      (part.copy(length = half), part.copy(start = half, length = part.sizeBytes - half))
    def whyOf(rows: Long, part: FilePart): String =
      intercept[LakeException](longs(plain, part.copy(recordCount = rows))).error.parameters("why")

    assert(longs(plain, first, last) == all)
    assert(whyOf(2L, part) == "it has 10000 rows, and the catalog says 2")
    assert(whyOf(10001L, part) == "it has 10000 rows, and the catalog says 10001")
    assert(whyOf(10001L, last) == "it has 10000 rows, and the catalog says 10001")
    assert(whyOf(9999L, last) == "it has 10000 rows, and the catalog says 9999")
    assert(whyOf(2L, first).endsWith("and the catalog says 2"))
  }

  test("a damaged delete file is an error that names it") {
    val text = files.folder.resolve("damaged.parquet")
    Files.writeString(text, "this is no Parquet file")
    val missing = files.folder.resolve("missing.parquet")

    val damaged = intercept[LakeException](
      longs(plain, deletedBy(text, DeleteFormat.ParquetPositions))
    )
    val absent = intercept[LakeException](
      longs(
        plain,
        TaskRows
          .part(numbers)
          .copy(deletes =
            Vector(StoredDeletes(s"file:$missing", DeleteFormat.ParquetPositions, 1L, 1L, 9L))
          ),
      )
    )

    assert(damaged.error.condition == "DUCKLAKE_UNREADABLE_FILE")
    assert(damaged.error.parameters("path").contains("damaged.parquet"))
    assert(absent.error.parameters("why") == "it does not exist")
  }

  test("a missing or cut data file is an error that names it and the table") {
    val cut = files.folder.resolve("cut.parquet")
    Files.write(cut, Files.readAllBytes(numbers).take(3000)): Unit
    val gone = TaskRows.part(numbers).copy(path = "file:/no/such.parquet", filename = "no/such")

    val failures =
      Seq(TaskRows.part(cut), gone).map(part => intercept[LakeException](longs(plain, part)).error)

    assert(failures.map(_.condition).distinct == Seq("DUCKLAKE_UNREADABLE_FILE"))
    assert(failures.map(_.parameters("table")).distinct == Seq("main.t"))
    assert(
      failures.map(_.parameters("why")) ==
        Seq("it is no Parquet file, or its end is missing", "it does not exist")
    )
  }

  test("a Parquet file with an encrypted footer is refused as encrypted") {
    val sealedFile = files.folder.resolve("sealed.parquet")
    files.run("SET force_mbedtls_unsafe = 'true'")
    files.run("PRAGMA add_parquet_key('k', '0123456789112345')")
    files.run(
      s"COPY (SELECT 1 AS a) TO '$sealedFile' " +
        "(FORMAT parquet, ENCRYPTION_CONFIG {footer_key: 'k'})"
    )

    val failure = intercept[LakeException](longs(plain, TaskRows.part(sealedFile)))

    assert(failure.error.condition == "DUCKLAKE_ENCRYPTED_LAKE")
  }

  test("splits of a file give each row once, with its position") {
    val size = Files.size(numbers)
    val spec = TaskRows.spec(data(a), ReadColumn.FileRowNumber)
    val file = positions(
      "third.parquet",
      s"SELECT 'x' AS file_path, range AS pos FROM range(0, $rowCount, 3)",
    )
    val parts = Vector(0L, size / 3, size * 2 / 3).zip(Vector(size / 3, size * 2 / 3, size)).map {
      case (from, to) =>
        deletedBy(file, DeleteFormat.ParquetPositions).copy(start = from, length = to - from)
    }

    val rows = parts.flatMap(TaskRows.of(spec, _))

    assert(rows == all.filter(_ % 3 != 0).map(n => Seq(n, n)))
  }

  test("row ids count from the file's first, or are those in the file") {
    val spec = TaskRows.spec(data(a), ReadColumn.RowId)
    val embedded = files.write(
      "embedded.parquet",
      "SELECT range AS a, 100 - range AS _ducklake_internal_row_id FROM range(3)",
      "{a: 1, _ducklake_internal_row_id: 2147483540}",
    )

    val counted = TaskRows.of(spec, TaskRows.part(numbers).copy(rowIdStart = Some(500L)))
    val stored = TaskRows.of(spec, TaskRows.part(embedded).copy(rowIdStart = Some(500L)))
    val neither = intercept[LakeException](
      TaskRows.of(spec, TaskRows.part(numbers).copy(rowIdStart = None))
    )

    assert(counted.slice(4095, 4098).map(_(1)) == Vector(4595L, 4596L, 4597L))
    assert(stored == Vector(Seq(0L, 100L), Seq(1L, 99L), Seq(2L, 98L)))
    assert(neither.error.parameters("why").contains("row ids"))
  }

  test("rows of later snapshots are not seen in a file that holds several") {
    val file = files.write(
      "several.parquet",
      "SELECT range AS a, 10 + range AS _ducklake_internal_snapshot_id FROM range(6)",
      "{a: 1, _ducklake_internal_snapshot_id: 2147483539}",
    )
    val spec = TaskRows.spec(ReadColumn.SnapshotOfRow, data(a))
    val part = TaskRows.part(file).copy(visibility = RowVisibility.upTo(SnapshotId(12)))

    assert(TaskRows.of(spec, part) == Vector(Seq(10L, 0L), Seq(11L, 1L), Seq(12L, 2L)))
    assert(longs(plain, part.copy(inlinedDeletes = Array(1L))) == Vector(0L, 2L))
    assert(longs(plain, part.copy(visibility = RowVisibility.All)).size == 6)
    val some = RowVisibility.Embedded(SnapshotRange(SnapshotId(11), SnapshotId(13)))
    assert(longs(plain, part.copy(visibility = some)) == Vector(1L, 2L, 3L))
    val lacking = TaskRows.part(numbers).copy(visibility = part.visibility)
    assert(
      intercept[LakeException](longs(plain, lacking)).error.parameters("why").contains("snapshot")
    )
  }

  test("rows without an embedded snapshot are seen, also where they fill a row group") {
    val file = files.write(
      "null-ids.parquet",
      "SELECT range AS a, CASE WHEN range < 2048 THEN NULL WHEN range < 4096 THEN 9 ELSE 3 END" +
        "::BIGINT AS s FROM range(6144)",
      s"{a: 1, s: ${ReservedFields.snapshotId}}",
      ", ROW_GROUP_SIZE 2048",
    )
    val seen = RowVisibility.Embedded(SnapshotRange(SnapshotId(1), SnapshotId(5)))
    val part = TaskRows.part(file).copy(recordCount = 6144, visibility = seen)

    assert(longs(plain, part) == Vector.range(0L, 2048L) ++ Vector.range(4096L, 6144L))
  }

  test("runs of rows tell the snapshot, and a prefix of them is seen") {
    val spec = TaskRows.spec(data(a), ReadColumn.SnapshotOfRow)
    val runs = Vector(SnapshotId(2) -> 3L, SnapshotId(5) -> 4L, SnapshotId(7) -> rowCount.toLong)
    val part = TaskRows
      .part(numbers)
      .copy(
        recordCount = rowCount.toLong,
        visibility = RowVisibility.Runs(0L, 5L, runs),
      )

    assert(
      TaskRows.of(spec, part) ==
        Vector(Seq(0L, 2L), Seq(1L, 2L), Seq(2L, 2L), Seq(3L, 5L), Seq(4L, 7L))
    )
    val inside = part.copy(visibility = RowVisibility.Runs(3L, 9000L, runs))
    assert(longs(plain, inside) == Vector.range(3L, 9000L))
    val deleted = inside.copy(inlinedDeletes = Array(2L, 4L))
    assert(longs(plain, deleted) == Vector.range(3L, 9000L).filterNot(_ == 4L))
  }

  test("metadata columns of the file are the same for every row") {
    val spec = TaskRows.spec(ReadColumn.FileName, ReadColumn.SnapshotOfRow)
    val part = TaskRows.part(numbers).copy(filename = "shown", begin = 9L)

    assert(TaskRows.of(spec, part).distinct == Vector(Seq[Any]("shown", 9L)))
  }

  test("predicates skip row groups and never a row that is wanted") {
    val late = Predicate.Compare(ColumnId(1), Comparison.GreaterOrEqual, Literal.Integral(9000))
    val spec = TaskRows.spec(data(a), ReadColumn.FileRowNumber).copy(predicates = Vector(late))

    val withPositions = TaskRows.of(spec, TaskRows.part(numbers))
    val without = longs(plain.copy(predicates = Vector(late)), TaskRows.part(numbers))

    assert(withPositions == Vector.range(8192L, 10000L).map(n => Seq(n, n)))
    assert(without == Vector.range(8192L, 10000L))
  }

  test("inlined rows become batches") {
    val spec = TaskRows.spec(data(a), ReadColumn.FileName)
    val rows = Vector.tabulate(10)(n => InternalRow(n.toLong, UTF8String.fromString(s"r$n")))

    val all = PackedRows.of(
      rows.iterator ++ Iterator(InternalRow(null, null)),
      spec.columns.map(_.sparkType),
    )
    val read = TaskRows.ofTask(spec, InlinedTask(RowPage.Carried(all)), 4)

    assert(read == Vector.tabulate(10)(n => Seq[Any](n.toLong, s"r$n")) :+ Seq(null, null))
  }
}
