package ducklake.catalog.path

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

    def inForce(wanted: Option[String], overrides: Boolean, stored: String): String =
      new DataPaths(wanted, overrides).inForce(stored).path
    assert(inForce(None, overrides = false, "~/lk/") == s"$home/lk/")
    assert(inForce(Some(s"$home/lk"), overrides = false, "~/lk/") == s"$home/lk/")
    assert(inForce(Some("file:/lk"), overrides = false, "/lk/") == "/lk/")
    assert(inForce(Some("file:/lk"), overrides = true, "/other/") == "/lk/")
  }
}
