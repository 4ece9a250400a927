package ducklake.catalog.read

import org.scalatest.funsuite.AnyFunSuite

class LocalPathSpec extends AnyFunSuite {

  private def plain(path: String): String = LocalPath.plain(path, Some("/home/u"))

  test("the home folder and the scheme of files are spelled out, other paths stay") {
    val spellings = Map(
      "~/lake/" -> "/home/u/lake/",
      "file:/data/lake" -> "/data/lake",
      "file:///data/lake" -> "/data/lake",
      "file:lake" -> "lake",
      "~u/lake" -> "~u/lake",
      "a/~/lake" -> "a/~/lake",
      "s3://bucket/~/lake" -> "s3://bucket/~/lake",
    )

    spellings.foreach { case (path, spelled) => assert(plain(path) == spelled, path) }
  }

  // Source: DuckDB 1.5.5, observed.
  test("a data path that is stored in another spelling is the same folder") {
    val home = sys.env("HOME")

    assert(new DataPaths(None, overrides = false).inForce("~/lk/") == s"$home/lk/")
    assert(new DataPaths(Some(s"$home/lk"), overrides = false).inForce("~/lk/") == s"$home/lk/")
    assert(new DataPaths(Some("file:/lk"), overrides = false).inForce("/lk/") == "/lk/")
    assert(new DataPaths(Some("file:/lk"), overrides = true).inForce("/other/") == "/lk/")
  }
}
