package ducklake.catalog.option

import ducklake.catalog.option.OptionRules.OptionLevel
import org.scalatest.funsuite.AnyFunSuite

class OptionRulesSpec extends AnyFunSuite {

  test("options are checked and stored as DuckDB stores them") {
    def stored(name: String, value: String) =
      OptionRules.stored(name, value, OptionLevel.Lake).map(_.value)

    val accepted = Vector(
      ("data_inlining_row_limit", "5", "5"),
      ("parquet_compression", "ZSTD", "zstd"),
      ("parquet_compression_level", "0", "0"),
      ("parquet_compression_level", "22", "22"),
      ("PARQUET_VERSION", "2", "V2"),
      ("target_file_size", "10MB", "10000000"),
      ("target_file_size", "10 MiB", "10485760"),
      ("target_file_size", "1.5GB", "1500000000"),
      ("parquet_row_group_size_bytes", "64kb", "64000"),
      ("hive_file_pattern", "TRUE", "true"),
      ("rewrite_delete_threshold", "0.123456789", "0.123457"),
      ("delete_older_than", "1 week", "1 week"),
      ("expire_older_than", "1.5 days", "1.5 days"),
      ("data_inlining_row_limit", "18446744073709551615", "18446744073709551615"),
      ("target_file_size", "0B", "0"),
    )
    accepted.foreach { case (name, given, expected) =>
      assert(stored(name, given) == Right(expected), name)
    }
    val refused = Vector(
      "data_inlining_row_limit" -> "-1",
      "parquet_compression" -> "none",
      "parquet_compression" -> "brotli",
      "parquet_compression_level" -> "23",
      "parquet_compression_level" -> "-1",
      "parquet_version" -> "3",
      "parquet_row_group_size" -> "0",
      "target_file_size" -> "x",
      "target_file_size" -> "18446744073709551616",
      "data_inlining_row_limit" -> "18446744073709551616",
      "hive_file_pattern" -> "yes",
      "rewrite_delete_threshold" -> "1.5",
      "expire_older_than" -> "",
      "expire_older_than" -> "7",
      "skip_stats_columns" -> "a",
      "foo" -> "1",
      "version" -> "1",
    )
    assert(refused.filter { case (name, value) => stored(name, value).isRight } == Vector.empty)
    assert(OptionRules.stored("skip_stats_columns", "a", OptionLevel.Schema).isLeft)
    assert(OptionRules.stored("expire_older_than", "1 day", OptionLevel.Table).isLeft)
  }
}
