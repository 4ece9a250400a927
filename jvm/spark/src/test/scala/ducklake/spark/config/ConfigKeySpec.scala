package ducklake.spark.config

import org.scalatest.funsuite.AnyFunSuite

final class ConfigKeySpec extends AnyFunSuite {

  test("DuckDB's own keys and the driver's properties are known") {
    assert(
      Vector("uri", "meta-anything", "metadata-catalog", "jdbc.ssl", "hadoop.fs.s3a.endpoint")
        .forall(ConfigKey.isKnown)
    )
  }

  for (
    (typed, meant) <- Vector(
      "datapath" -> "data-path",
      "read_only" -> "read-only",
      "snapshot-versoin" -> "snapshot-version",
      "passwordfile" -> "password-file",
    )
  )
    test(s"the key nearest to $typed is $meant") {
      assert(!ConfigKey.isKnown(typed))
      assert(ConfigKey.nearest(typed) == meant)
    }
}
