package ducklake.files.path

import org.scalatest.funsuite.AnyFunSuite

final class FileNamesSpec extends AnyFunSuite {

  private val id = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"

  test("names hold a UUID of version 7") {
    assert(FileNames.dataFile().matches(s"ducklake-$id\\.parquet"))
    assert(FileNames.deleteFile().matches(s"ducklake-$id-delete\\.parquet"))
  }

  test("no two names are the same") {
    assert(Vector.fill(1000)(FileNames.dataFile()).distinct.size == 1000)
  }
}
