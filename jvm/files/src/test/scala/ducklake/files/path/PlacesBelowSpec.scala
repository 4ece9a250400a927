package ducklake.files.path

import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

class PlacesBelowSpec extends AnyFunSuite {

  private def below(folder: String)(paths: String*): Seq[Boolean] = {
    val places = new PlacesBelow(folder)
    paths.map(places.has)
  }

  test("a path below the folder is so in every spelling") {
    assert(
      below("s3://bucket/lake/")("s3a://bucket/lake/a.parquet", "s3://Bucket/lake//x/../a") ==
        Seq(true, true)
    )
    val azure = Seq("az://box/lake/a", "abfss://box@account.dfs.core.windows.net/lake/a")
    assert(below("az://box/lake/")(azure*) == Seq(true, true))
    assert(below("abfss://box@account.dfs.core.windows.net/lake/")(azure*) == Seq(true, true))
  }

  test("a path that leads out of the folder is not below it") {
    val out =
      Seq("s3://bucket/lake/../other/a", "s3://bucket/lakes/a", "s3://other/lake/a", "/lake/a")
    assert(!below("s3://bucket/lake/")(out*).contains(true))
  }

  test("symbolic links of folders are followed") {
    val root = Files.createTempDirectory("places").toRealPath()
    val own = Files.createDirectory(root.resolve("own"))
    val other = Files.createDirectory(root.resolve("other"))
    Files.createSymbolicLink(root.resolve("name"), own)
    Files.createSymbolicLink(own.resolve("out"), other): Unit

    assert(below(s"$root/name/")(s"$own/a", s"$root/name/a") == Seq(true, true))
    assert(below(s"$own/")(s"$own/out/a", s"$other/a") == Seq(false, false))
  }
}
