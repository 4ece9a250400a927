package ducklake.files.io

import ducklake.catalog.error.LakeException
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

class FileCopierSpec extends AnyFunSuite {

  private val conf = new Configuration()
  private val folder: Path = Files.createTempDirectory("copies")

  private def copy(source: String, target: String, sizeBytes: Long): Unit =
    FileCopier.copy(
      folder.resolve(source).toUri.toString,
      folder.resolve(target).toUri.toString,
      sizeBytes,
      "main.t",
      conf,
    )

  private def condition(body: => Unit): String = intercept[LakeException](body).error.condition

  test("a copy has the bytes of its source, also in a folder that is new") {
    val bytes = Array.tabulate[Byte](3000000)(index => (index % 251).toByte)
    Files.write(folder.resolve("a"), bytes)

    copy("a", "new/b", 3000000L)

    assert(Files.readAllBytes(folder.resolve("new/b")).sameElements(bytes))
  }

  test("a file that is gone is named") {
    assert(condition(copy("nowhere", "c", 1L)) == "DUCKLAKE_UNREADABLE_FILE")
  }

  test("a file of another size than the catalog says is not taken for whole") {
    Files.write(folder.resolve("short"), Array[Byte](1, 2, 3))
    assert(condition(copy("short", "d", 4L)) == "DUCKLAKE_UNREADABLE_FILE")
  }
}
