package ducklake.catalog.path

import org.scalatest.funsuite.AnyFunSuite

/** All spellings of a place give one text. */
class PathSpellingSpec extends AnyFunSuite {

  private def places(spellings: String*): Set[String] = spellings.map(PathSpelling.of).toSet

  test("local files") {
    assert(
      places(
        "/a/b",
        "/a//b",
        "/a/./b",
        "/a/c/../b",
        "file:/a/b",
        "file:///a/b",
        "FILE:///a/b",
      ).size == 1
    )
    assert(places("a%20b", "./a%20b").size == 1)
    assert(PathSpelling.of("/a%20b") != PathSpelling.of("/a b"))
  }

  test("schemes of one store") {
    assert(places("s3://k/a/b", "s3a://k/a/b", "s3n://k/a//b", "S3://k/a/b").size == 1)
    assert(places("gs://k/a", "gcs://k/a").size == 1)
    assert(PathSpelling.of("s3://k/a") != PathSpelling.of("gs://k/a"))
    assert(PathSpelling.of("s3://k/a") != PathSpelling.of("s3://k/A"))
  }
}
