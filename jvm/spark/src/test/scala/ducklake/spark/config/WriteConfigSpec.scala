package ducklake.spark.config

import ducklake.catalog.error.LakeException
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.ShreddedType
import ducklake.catalog.types.TableId
import ducklake.spark.sparkapi.sql.VariantSettings
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters.MapHasAsJava

final class WriteConfigSpec extends AnyFunSuite {

  private val schema = SchemaId(1)
  private val table = TableId(2)

  private def config(
      stored: Vector[LakeOption],
      tableOptions: Map[String, String] = Map.empty,
      write: Map[String, String] = Map.empty,
  ): WriteConfig =
    WriteConfig.of(
      stored,
      schema,
      Some(table),
      tableOptions,
      new CaseInsensitiveStringMap(write.asJava),
    )

  private def option(key: String, value: String, scope: OptionScope): LakeOption =
    LakeOption(key, value, scope)

  test("without options DuckDB's defaults hold") {
    assert(
      config(Vector.empty) == WriteConfig(
        targetFileSize = 536870912L,
        codec = "SNAPPY",
        level = None,
        pageVersion = PageVersion.V1,
        rowGroupRows = 122880,
        rowGroupBytes = 134217728L,
        usesHiveFolders = true,
        sortsRows = true,
        rewriteDeleteThreshold = 0.95,
        columnsWithoutBounds = Set.empty,
        inliningRowLimit = None,
        infersVariants = VariantSettings.infersColumns,
      )
    )
  }

  test("the nearer scope goes first, and the write's own options before all") {
    val key = "target_file_size"
    val global = option(key, "1", OptionScope.Global)
    val ofSchema = option(key, "2", OptionScope.OfSchema(schema))
    val ofTable = option(key, "3", OptionScope.OfTable(table))
    val ofOther = option(key, "9", OptionScope.OfTable(TableId(7)))

    assert(config(Vector(ofOther, global)).targetFileSize == 1L)
    assert(config(Vector(global, ofSchema)).targetFileSize == 2L)
    assert(config(Vector(global, ofTable, ofSchema)).targetFileSize == 3L)
    assert(config(Vector(ofTable), tableOptions = Map(key -> "4")).targetFileSize == 4L)
    assert(config(Vector(ofTable), write = Map("TARGET_FILE_SIZE" -> "5")).targetFileSize == 5L)
  }

  test("columns without bounds are those of the table's own option") {
    val key = "skip_stats_columns"
    def columns(stored: LakeOption*): Set[ColumnId] = config(stored.toVector).columnsWithoutBounds

    assert(
      columns(option(key, "3, 7,x,", OptionScope.OfTable(table))) == Set(3L, 7L).map(ColumnId(_))
    )
    assert(columns(option(key, "", OptionScope.OfTable(table))) == Set.empty)
    assert(columns(option(key, "3", OptionScope.OfTable(TableId(7)))) == Set.empty)
    assert(columns(option(key, "3", OptionScope.Global)) == Set.empty)
    val created = config(Vector.empty, tableOptions = Map(key -> "4"))
    assert(created.columnsWithoutBounds == Set(ColumnId(4)))
  }

  test("columns of variants are those of the nearest scope, and a text without sense is refused") {
    val key = "parquet_shredding"
    val ofLake = option(key, "v=BIGINT", OptionScope.Global)
    val ofTable = option(key, "V=NULL\nw=DATE[]", OptionScope.OfTable(table))
    def shredding(stored: LakeOption*) = config(stored.toVector).shredding

    assert(shredding().columns.isEmpty)
    assert(shredding(ofLake).of("V") == Some(ShreddedType.Value(LakeType.Int64)))
    assert(shredding(ofLake, ofTable).of("v") == Some(ShreddedType.Whole))
    assert(shredding(ofLake, ofTable).of("w").nonEmpty)
    val wrong = option(key, "v=HUGEINT", OptionScope.Global)
    val failure = intercept[LakeException](shredding(wrong))
    assert(failure.error.message.contains(key) && failure.error.message.contains("HUGEINT"))
  }

  test("codecs go by DuckDB's names, and Spark's `compression` wins") {
    def codec(name: String): String =
      config(Vector(option("parquet_compression", name, OptionScope.Global))).codec

    assert(
      Vector("zstd", "lz4", "lz4_raw", "uncompressed", "GZIP").map(codec) ==
        Vector("ZSTD", "LZ4_RAW", "LZ4_RAW", "UNCOMPRESSED", "GZIP")
    )
    val stored = Vector(option("parquet_compression", "zstd", OptionScope.Global))
    assert(config(stored, write = Map("compression" -> "gzip")).codec == "GZIP")
  }

  test("what an option takes at its limits can be written with") {
    val limits = Vector(
      "data_inlining_row_limit" -> Vector("0", "18446744073709551615"),
      "parquet_compression" ->
        Vector("uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw"),
      "parquet_compression_level" -> Vector("0", "22"),
      "parquet_version" -> Vector("1", "2"),
      "parquet_row_group_size" -> Vector("1", "18446744073709551615"),
      "parquet_row_group_size_bytes" -> Vector("1", "18446744073709551615"),
      "target_file_size" -> Vector("0", "18446744073709551615"),
      "hive_file_pattern" -> Vector("true", "0"),
      "sort_on_insert" -> Vector("1", "FALSE"),
    )

    for {
      (key, values) <- limits
      value <- values
    } {
      val setting =
        OptionRules
          .stored(key, value, OptionRules.OptionLevel.Lake)
          .fold(e => fail(s"$e"), identity)
      config(Vector(option(setting.key, setting.value, OptionScope.Global))): Unit
    }
  }

  test("numbers of DuckDB that no Long holds are the largest Long") {
    val most = "18446744073709551615"
    val keys = Vector("data_inlining_row_limit", "target_file_size", "parquet_row_group_size_bytes")
    val found = config(keys.map(option(_, most, OptionScope.Global)))

    assert(found.inliningRowLimit.contains(Long.MaxValue))
    assert(found.targetFileSize == Long.MaxValue && found.rowGroupBytes == Long.MaxValue)
    val rows = option("parquet_row_group_size", most, OptionScope.Global)
    assert(config(Vector(rows)).rowGroupRows == Int.MaxValue)
    val none = option("target_file_size", "0", OptionScope.Global)
    assert(config(Vector(none)).targetFileSize == 1L)
  }

  test("a stored value that cannot be obeyed is refused with its place") {
    val places = Vector(
      OptionScope.Global -> "of the lake",
      OptionScope.OfSchema(schema) -> "of the schema",
      OptionScope.OfTable(table) -> "of the table",
    )
    places.foreach { case (scope, place) =>
      val brotli = option("parquet_compression", "brotli", scope)
      val failure = intercept[LakeException](config(Vector(brotli)))
      assert(failure.error.parameters("key") == "parquet_compression")
      assert(failure.error.message.contains(place) && failure.error.message.contains("brotli"))
    }
  }

  test("a level is not cut") {
    def level(value: String) =
      config(Vector(option("parquet_compression_level", value, OptionScope.Global))).level

    assert(level("0").contains(0))
    assert(level("22").contains(22))
    assertThrows[LakeException](level("4294967297"))
  }

  test("what cannot be obeyed is refused by name") {
    val wrong = Vector(
      "target_file_size" -> "big",
      "parquet_row_group_size" -> "0",
      "parquet_compression_level" -> "23",
      "parquet_compression" -> "brotli",
      "parquet_version" -> "V3",
      "hive_file_pattern" -> "maybe",
    )
    wrong.foreach { case (key, value) =>
      val failure = intercept[LakeException](config(Vector.empty, write = Map(key -> value)))
      assert(failure.error.condition == "DUCKLAKE_INVALID_SETTING")
      assert(failure.error.parameters("key") == key)
    }
  }
}
