package ducklake.spark.read.statistics

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

final class ScanSizeSpec extends AnyFunSuite {

  // Rows of 8 + 8 + 20 + 4 bytes, as Spark estimates them.
  private val table = StructType.fromDDL("id BIGINT, name STRING, day DATE")

  private def size(read: String): ScanSize = new ScanSize(table, StructType.fromDDL(read))

  test("all columns have the bytes of the files") {
    assert(size("id BIGINT, name STRING, day DATE").bytes(1000, 0) == 1000)
  }

  test("some columns have the share of their widths, as a projection over files has") {
    assert(size("id BIGINT").bytes(1000, 0) == 1000 * (8 + 8) / 40)
    assert(size("name STRING, day DATE").bytes(1000, 0) == 1000 * (8 + 24) / 40)
    assert(new ScanSize(table, new StructType()).bytes(1000, 0) == 1000 * 8 / 40)
  }

  test("hidden columns, which no file has, do not make the files larger") {
    val all = "id BIGINT, name STRING, day DATE, rowid BIGINT, filename STRING"

    assert(size(all).bytes(1000, 0) == 1000)
  }

  test("rows of the catalog count by their width") {
    assert(size("id BIGINT").bytes(0, 10) == 10 * 16)
    assert(size("id BIGINT").bytes(1000, 10) == 400 + 160)
  }

  test("nothing has one byte, because Spark knows no smaller size") {
    assert(size("id BIGINT").bytes(0, 0) == 1)
    assert(ScanSize.ofRows(0, table).sizeInBytes().getAsLong == 1)
  }

  test("sizes that are larger than any disk do not overflow") {
    assert(size("id BIGINT").bytes(BigInt(Long.MaxValue) * 8, Long.MaxValue) == Long.MaxValue)
  }

  test("a result on the driver has the width of its rows") {
    assert(ScanSize.ofRows(3, table).sizeInBytes().getAsLong == 120)
    assert(ScanSize.ofRows(3, table).numRows().getAsLong == 3)
  }
}
