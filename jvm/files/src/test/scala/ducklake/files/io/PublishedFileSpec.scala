package ducklake.files.io

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.nio.file.Path

import scala.jdk.CollectionConverters.IteratorHasAsScala

final class PublishedFileSpec extends AnyFunSuite {

  private val conf = new Configuration(false)

  private def create(folder: Path, content: Iterator[String]): Boolean =
    PublishedFile.create(s"file:$folder/log/0.json", "t", content.map(_.getBytes(UTF_8)), conf)

  private def names(folder: Path): Vector[String] =
    Files.list(folder.resolve("log")).iterator.asScala.map(_.getFileName.toString).toVector

  test("a file is created once, and keeps its content") {
    val folder = Files.createTempDirectory("published")

    assert(create(folder, Iterator("a", "b")))
    assert(!create(folder, Iterator("c")))

    assert(Files.readString(folder.resolve("log/0.json")) == "ab")
    assert(names(folder) == Vector("0.json"))
  }

  test("a name that is taken while the file is written stays with the other file") {
    val folder = Files.createTempDirectory("published")
    val late = Iterator("x").map { text =>
      assert(create(folder, Iterator("first")))
      text
    }

    assert(!create(folder, late))

    assert(Files.readString(folder.resolve("log/0.json")) == "first")
    assert(names(folder) == Vector("0.json"))
  }

  test("a write that fails leaves no file") {
    val folder = Files.createTempDirectory("published")
    val broken = Iterator("a", "b").map(text => if (text == "b") sys.error("broken") else text)

    assert(intercept[RuntimeException](create(folder, broken)).getMessage == "broken")

    assert(names(folder).isEmpty)
  }
}
