package ducklake.spark.config

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.TableId
import ducklake.catalog.read.LakeOption
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util.Locale

/** How new files are made: the lake's options in force for a table.
  *
  * @param targetFileSize bytes from which a new file is begun
  * @param codec as Parquet's library calls it
  * @param level of the codec; None: its own default
  * @param rowGroupRows rows of a row group at most
  * @param rowGroupBytes bytes of a row group at most, about
  * @param usesHiveFolders partitioned files go to folders named after their values
  * @param sortsRows rows are sorted by the table's sort order
  * @param inliningRowLimit how many rows the catalog itself may keep; None: the lake does not say
  */
final case class WriteConfig(
    targetFileSize: Long,
    codec: String,
    level: Option[Int],
    pageVersion: PageVersion,
    rowGroupRows: Int,
    rowGroupBytes: Long,
    usesHiveFolders: Boolean,
    sortsRows: Boolean,
    inliningRowLimit: Option[Long],
)

/** Parquet's two kinds of data page. */
sealed trait PageVersion

object PageVersion {
  case object V1 extends PageVersion
  case object V2 extends PageVersion
}

object WriteConfig {

  /** Options of the write itself go before those of the table, the schema and the lake: under the
    * lake's names, and Spark's own `compression`.
    *
    * @param table None for a table that the commit creates
    * @param tableOptions those that the commit is to store for the table
    *
    * Errors: InvalidSetting for a value that cannot be used.
    *
    * Source: format 8.5.
    */
  def of(
      stored: Vector[LakeOption],
      schema: SchemaId,
      table: Option[TableId],
      tableOptions: Map[String, String],
      write: CaseInsensitiveStringMap,
  ): WriteConfig = {
    val reader = new Reader(stored, schema, table, tableOptions, write)
    WriteConfig(
      targetFileSize = reader.whole("target_file_size").getOrElse(536870912L),
      codec = reader.codec(),
      level = reader.whole("parquet_compression_level").map(_.toInt),
      pageVersion = reader.pageVersion(),
      rowGroupRows =
        reader.whole("parquet_row_group_size").fold(122880)(_.min(Int.MaxValue.toLong).toInt),
      rowGroupBytes = reader.whole("parquet_row_group_size_bytes").getOrElse(128L << 20),
      usesHiveFolders = reader.flag("hive_file_pattern"),
      sortsRows = reader.flag("sort_on_insert"),
      inliningRowLimit = reader.rowLimit("data_inlining_row_limit"),
    )
  }

  private val codecs: Map[String, String] = Map(
    "uncompressed" -> "UNCOMPRESSED",
    "none" -> "UNCOMPRESSED",
    "snappy" -> "SNAPPY",
    "gzip" -> "GZIP",
    "zstd" -> "ZSTD",
    "lz4" -> "LZ4_RAW",
    "lz4_raw" -> "LZ4_RAW",
  )

  private final class Reader(
      stored: Vector[LakeOption],
      schema: SchemaId,
      table: Option[TableId],
      tableOptions: Map[String, String],
      write: CaseInsensitiveStringMap,
  ) {

    private def text(key: String): Option[String] =
      Option(write.get(key))
        .orElse(tableOptions.get(key))
        .orElse(LakeOption.inForce(stored, key, schema, table))

    def whole(key: String): Option[Long] = text(key).map { value =>
      value.trim.toLongOption.filter(_ > 0).getOrElse(fail(key, value, "a whole number above zero"))
    }

    def rowLimit(key: String): Option[Long] = text(key).map { value =>
      value.trim.toLongOption.filter(_ >= 0).getOrElse(fail(key, value, "a whole number, or zero"))
    }

    /** All of them are on unless somebody turned them off. */
    def flag(key: String): Boolean =
      text(key).getOrElse("true").toLowerCase(Locale.ROOT) match {
        case "true" => true
        case "false" => false
        case other => fail(key, other, "true or false")
      }

    def codec(): String = {
      val name = Option(write.get("compression")).orElse(text("parquet_compression"))
      val key = name.getOrElse("snappy").toLowerCase(Locale.ROOT)
      codecs.getOrElse(
        key,
        fail("parquet_compression", key, codecs.keys.toSeq.sorted.mkString(", ")),
      )
    }

    def pageVersion(): PageVersion =
      text("parquet_version").getOrElse("V1").toUpperCase(Locale.ROOT) match {
        case "V1" | "1" => PageVersion.V1
        case "V2" | "2" => PageVersion.V2
        case other => fail("parquet_version", other, "V1 or V2")
      }
  }

  private def fail(key: String, value: String, allowed: String): Nothing =
    throw new LakeException(
      LakeError.InvalidSetting(key, s"is `$value`", s"Allowed is $allowed.")
    )
}
