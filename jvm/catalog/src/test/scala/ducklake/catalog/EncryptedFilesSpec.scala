package ducklake.catalog

import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

class EncryptedFilesSpec extends AnyFunSuite {

  private val key = "encryption_key" -> "'a2V5'"

  /** A lake with one data file. */
  private def lakeWithFile(isEncrypted: Boolean, cells: (String, String)*): TestLake = {
    val lake = TestLake.create("1.0")
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", (1, "id", "int64"))
    lake.snapshot(2, 1, 1, "inserted_into_table:1")
    lake.run(s"UPDATE ducklake_metadata SET value = '$isEncrypted' WHERE key = 'encrypted'")
    lake.dataFile(0, 1, 2, cells: _*)
    lake
  }

  private def fileOf(lake: TestLake): DataFile = {
    val at = lake.open.at(SnapshotId(2))
    at.files(at.table("main", "t").getOrElse(fail("no table")), FileRequest.everyFile).files.head
  }

  test("a file of an encrypted lake has its key, which no text shows") {
    val file = fileOf(lakeWithFile(isEncrypted = true, key, "footer_size" -> "77"))

    assert(file.encryption.keyOf("f", "t").map(_.base64).contains("a2V5"))
    assert(file.footerSize == 77L && !file.toString.contains("a2V5"))
  }

  test("a file of an encrypted lake without a key cannot be read, and names itself") {
    val file = fileOf(lakeWithFile(isEncrypted = true))

    val failure = intercept[LakeException](file.encryption.keyOf(file.path, "main.t"))
    assert(failure.error.condition == "DUCKLAKE_ENCRYPTED_LAKE")
    assert(failure.error.parameters("subject") == s"Cannot read the file ${file.path} of main.t")
  }

  test("a lake without encryption ignores keys") {
    val file = fileOf(lakeWithFile(isEncrypted = false, key))

    assert(file.encryption == FileEncryption.Absent)
  }
}
