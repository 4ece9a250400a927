package ducklake.files.path

import org.scalatest.funsuite.AnyFunSuite

final class FileNamesSpec extends AnyFunSuite {

  private val id = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"

  test("names hold a UUID of version 7") {
    assert(FileNames.dataFile().matches(s"ducklake-$id\\.parquet"))
    assert(FileNames.deleteFile().matches(s"ducklake-$id-delete\\.parquet"))
  }

  test("names of files in place of one file begin alike, and no others do") {
    val names = Vector.fill(100)(FileNames.inPlaceOf("/a/b.parquet"))
    assert(names.distinct.size == 100)
    assert(names.forall(FileNames.isOurs))
    assert(names.map(FileNames.beginningOf).distinct == Vector(names.head.dropRight(20)))
    assert(FileNames.beginningOf(names.head) == FileNames.beginningInPlaceOf("/a/b.parquet"))
    assert(FileNames.beginningOf(names.head) != FileNames.beginningInPlaceOf("/a/c.parquet"))
    val uuid = java.util.UUID.fromString(names.head.drop("ducklake-".length).take(36))
    assert(uuid.version == 8 && uuid.variant == 2)
  }

  test("no two names are the same") {
    assert(Vector.fill(1000)(FileNames.dataFile()).distinct.size == 1000)
  }
}
