package ducklake.spark.moving

import org.scalatest.funsuite.AnyFunSuite

/** How a lake spells the paths of other formats. DuckDB's search for orphans compares texts. */
final class SourceFileSpec extends AnyFunSuite {

  test("paths are in DuckDB's spelling") {
    for (
      (path, expected) <- Vector(
        "s3a://b/w/x.parquet" -> "s3://b/w/x.parquet",
        "s3n://b/w//x.parquet" -> "s3://b/w//x.parquet",
        "s3://b/w/x.parquet" -> "s3://b/w/x.parquet",
        "file:/w/x.parquet" -> "/w/x.parquet",
        "file:///w//t/x.parquet" -> "/w/t/x.parquet",
        "/w//t/x.parquet" -> "/w/t/x.parquet",
        "abfss://c@a/x.parquet" -> "abfss://c@a/x.parquet",
      )
    ) assert(SourceFile.stored(path) == expected)
  }
}
