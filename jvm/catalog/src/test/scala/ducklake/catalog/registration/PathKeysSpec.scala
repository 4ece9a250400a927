package ducklake.catalog.registration

import org.scalatest.funsuite.AnyFunSuite

/** The expected values are those that DuckDB 1.5.5 read. */
final class PathKeysSpec extends AnyFunSuite {

  test("folders of the form key=value are keys, the file's name is not") {
    assert(
      PathKeys.of("s3://bucket/in/year=2020/p=a/x=1.parquet") ==
        Vector("year" -> Some("2020"), "p" -> Some("a"))
    )
    assert(PathKeys.of("/in/plain/x.parquet").isEmpty)
    assert(PathKeys.of("/p=1/p=2/x.parquet") == Vector("p" -> Some("1")))
    assert(PathKeys.of("/in/=5/a=b=c/x.parquet").isEmpty)
  }

  test("values are percent-decoded, and one text stands for NULL") {
    assert(PathKeys.of("/p=a%20b%C3%A9/x") == Vector("p" -> Some("a bé")))
    assert(PathKeys.of("/p=50%/x") == Vector("p" -> Some("50%")))
    assert(PathKeys.of("/p=%zz/x") == Vector("p" -> Some("%zz")))
    assert(PathKeys.of("/p=/x") == Vector("p" -> Some("")))
    assert(PathKeys.of("/p=__HIVE_DEFAULT_PARTITION__/x") == Vector("p" -> None))
  }
}
