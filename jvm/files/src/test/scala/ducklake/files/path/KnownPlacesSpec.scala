package ducklake.files.path

import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

class KnownPlacesSpec extends AnyFunSuite {

  private def knows(stored: String, asked: String): Boolean =
    KnownPlaces.of(action => Vector(stored, stored).foreach(action)).has(asked)

  test("spellings of one place are one") {
    assert(knows("/a/b/c.parquet", "/a/b/c.parquet"))
    assert(knows("/a//b/./x/../c.parquet", "/a/b/c.parquet"))
    assert(knows("file:///a/b/c.parquet", "/a/b/c.parquet"))
    assert(knows("file:/a/b/c.parquet", "file:///a/b/c.parquet"))
    assert(knows("s3://bucket/a//b.parquet", "s3a://bucket/a/b.parquet"))
    assert(knows("S3N://Bucket/b.parquet", "s3://bucket/b.parquet"))
    assert(knows("az://unknown/b.parquet", "az://unknown/b.parquet"))
  }

  test("a path of Azure without an account is known in any account") {
    val listed = "abfss://box@account.dfs.core.windows.net/a/k=1 2/b.parquet"
    Vector("az", "azure", "abfss", "AZ").foreach { scheme =>
      assert(knows(s"$scheme://box/a/k=1 2/b.parquet", listed), scheme)
      assert(knows(s"$scheme://box/a/k=1%202/b.parquet", listed), scheme)
      assert(!knows(s"$scheme://other/a/k=1 2/b.parquet", listed), scheme)
    }
    val other = "az://other.blob.core.windows.net/box/a/k=1 2/b.parquet"
    assert(!knows(other, listed))
  }

  test("a percent-encoded path of the catalog means both places") {
    assert(knows("/a/k=1%202/c.parquet", "/a/k=1%202/c.parquet"))
    assert(knows("/a/k=1%202/c.parquet", "/a/k=1 2/c.parquet"))
    assert(!knows("/a/k=1 2/c.parquet", "/a/k=1%202/c.parquet"))
    assert(knows("/a/100%.parquet", "/a/100%.parquet"))
  }

  test("other places are others") {
    assert(!knows("/a/b/c.parquet", "/a/b/d.parquet"))
    assert(!knows("s3://bucket/b.parquet", "gs://bucket/b.parquet"))
    assert(!KnownPlaces.of(_ => ()).has("/a"))
  }

  test("a folder's symbolic links are followed") {
    val folder = Files.createTempDirectory("places")
    val real = Files.createDirectory(folder.resolve("real"))
    val link = Files.createSymbolicLink(folder.resolve("link"), real)

    assert(knows(s"$link/c.parquet", s"$real/c.parquet"))
    assert(knows(s"$real/c.parquet", s"$link/c.parquet"))
  }

  test("a file that a known link leads to is known, too, and so are the links between") {
    val folder = Files.createTempDirectory("places").toRealPath()
    val real = Files.createFile(folder.resolve("real.parquet"))
    val inner = Files.createSymbolicLink(folder.resolve("inner.parquet"), real.getFileName)
    val outer = Files.createSymbolicLink(folder.resolve("a%20b.parquet"), inner)

    Vector(real, inner, outer).foreach(file => assert(knows(outer.toString, file.toString)))
    assert(!knows(real.toString, inner.toString))
    val encoded = Files.createSymbolicLink(folder.resolve("c d.parquet"), real)
    assert(knows(s"$folder/c%20d.parquet", encoded.toString))
    assert(knows(s"$folder/c%20d.parquet", real.toString))
  }

  test("links that lead to each other end nowhere") {
    val folder = Files.createTempDirectory("places").toRealPath()
    val one = folder.resolve("one.parquet")
    val two = Files.createSymbolicLink(folder.resolve("two.parquet"), one)
    Files.createSymbolicLink(one, two)

    assert(knows(one.toString, two.toString))
  }
}
