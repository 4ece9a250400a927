package ducklake.files.path

import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

class FilePlaceSpec extends AnyFunSuite {

  private val folder: Path = Files.createTempDirectory("places").toRealPath()
  private val file: Path = Files.createFile(folder.resolve("a.parquet"))

  private def link(name: String): String =
    Files.createSymbolicLink(folder.resolve(name), file).toString

  test("a known path that is a symbolic link has the place of its file too") {
    val linked = link("link.parquet")

    val places = FilePlace.remembering()

    assert(places.ofTarget(linked) == file.toString)
    assert(places.ofKnown(linked) == Vector(linked, file.toString))
    assert(places.ofKnown(file.toString) == Vector(file.toString))
    assert(places.ofKnown(s"$folder/gone.parquet") == Vector(s"$folder/gone.parquet"))
    assert(places.ofKnown("s3://bucket/a.parquet") == Vector(places.of("s3://bucket/a.parquet")))
  }

  test("files with names of writers are not looked up") {
    val written = link(FileNames.dataFile())

    assert(FilePlace.remembering().ofKnown(written) == Vector(written))
  }
}
