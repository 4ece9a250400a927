package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Path
import java.sql.Date
import java.sql.Timestamp
import java.time.Instant
import java.time.LocalDateTime

/** Files that DuckDB 2.0.0 wrote: `tests/compat/parquet20.py`. Columns without NULL are REQUIRED in
  * them, groups too.
  */
final class FilesOfDuckDb20Spec extends AnyFunSuite {

  private def read(file: String, columns: ducklake.catalog.types.Column*): Vector[Seq[Any]] = {
    val path = Path.of("..", "..", "tests", "compat", "duckdb-2.0", s"$file.parquet").toRealPath()
    TaskRows.of(TaskRows.spec(columns.map(TaskRows.data)*), TaskRows.part(path))
  }

  test("required columns of every kind") {
    val rows = read(
      "required",
      column(1, "truth", LakeType.Bool),
      column(2, "int8", LakeType.Int8),
      column(9, "uint64", LakeType.UInt64),
      column(10, "single", LakeType.Float32),
      column(14, "large", LakeType.Decimal(38, 10)),
      column(15, "text", LakeType.Varchar),
      column(17, "day", LakeType.Date),
      column(19, "stamp", LakeType.Timestamp),
      column(20, "stamp_s", LakeType.TimestampS),
      column(22, "stamp_ns", LakeType.TimestampNs),
      column(23, "uuid", LakeType.Uuid),
      column(24, "span", LakeType.Interval),
    )

    assert(
      rows.head == Vector[Any](
        true,
        -1.toByte,
        new java.math.BigDecimal("18446744073709551610"),
        0.5f,
        new java.math.BigDecimal("0.0625000000"),
        "text 0",
        Date.valueOf("2024-02-28"),
        LocalDateTime.of(2024, 2, 29, 12, 34, 56, 789012000),
        LocalDateTime.of(2024, 2, 29, 12, 34, 57),
        LocalDateTime.of(2024, 2, 29, 12, 34, 56, 123456000),
        "550e8400-e29b-41d4-a716-446655440000",
        "2 days 00:00:03.5",
      )
    )
    assert(rows.size == 3)
  }

  test("required and optional groups") {
    val long = LakeType.Int64
    val rows = read(
      "nested",
      column(2, "list", LakeType.ListType, Vector(column(3, "element", long))),
      column(
        4,
        "struct",
        LakeType.StructType,
        Vector(column(5, "a", long), column(6, "b", LakeType.Varchar)),
      ),
      column(
        11,
        "map",
        LakeType.MapType,
        Vector(column(12, "key", LakeType.Varchar), column(13, "value", long)),
      ),
    )

    assert(rows.map(_.head) == Vector(Seq(0L, 1L), Seq(1L, 2L), Seq(2L, 3L)))
    assert(rows.map(_(1).toString) == Vector("[0,x0]", "[1,x1]", "[2,x2]"))
    assert(rows.map(_(2)) == Vector(Map("k0" -> 0L), Map("k1" -> 1L), Map("k2" -> 2L)))
  }

  test("shredded variants with required groups") {
    val rows = read(
      "variant",
      column(2, "same", LakeType.Variant),
      column(3, "mixed", LakeType.Variant),
    )

    assert(rows.map(row => Option(row.head).map(_.toString)) == (0 until 5).toVector.map { n =>
      Some(s"""{"a":$n,"b":"x$n","c":[$n,7]}""")
    })
    assert(
      rows.map(row => Option(row(1)).map(_.toString)) ==
        Vector(Some("5"), Some("\"five\""), Some("[1,2]"), Some("{\"k\":1.5}"), None)
    )
  }

  test("times with a zone are those of UTC") {
    val rows = read("clocks", column(2, "timetz", LakeType.TimeTz))

    assert(rows.map(_.head) == Vector("22:00:00+00", "23:00:00+00", "00:00:00+00"))
  }

  test("instants in nanoseconds are rounded down, and NULL alone is NULL") {
    val rows = read(
      "fine",
      column(1, "id", LakeType.Int32),
      column(2, "instant", LakeType.TimestampTzNs),
      column(3, "nothing", LakeType.NullType),
    )

    assert(
      rows == Vector(
        Seq[Any](0, Timestamp.from(Instant.ofEpochSecond(-1, 999999000)), null),
        Seq[Any](1, Timestamp.from(Instant.ofEpochSecond(0, 0)), null),
        Seq[Any](2, Timestamp.from(Instant.ofEpochSecond(0, 1000)), null),
      )
    )
  }
}
