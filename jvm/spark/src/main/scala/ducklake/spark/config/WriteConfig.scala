package ducklake.spark.config

import ducklake.catalog.change.OptionRules
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
      targetFileSize = reader.required(OptionRules.TargetFileSize).toLong,
      codec = reader.codec(),
      level = reader.chosen(OptionRules.ParquetCompressionLevel).map(_.toInt),
      pageVersion = reader.pageVersion(),
      rowGroupRows =
        reader.required(OptionRules.ParquetRowGroupSize).toLong.min(Int.MaxValue.toLong).toInt,
      rowGroupBytes =
        reader.chosen(OptionRules.ParquetRowGroupSizeBytes).fold(rowGroupBytes)(_.toLong),
      usesHiveFolders = reader.flag(OptionRules.HiveFilePattern),
      sortsRows = reader.flag(OptionRules.SortOnInsert),
      inliningRowLimit = reader.chosen(OptionRules.DataInliningRowLimit).map(_.toLong),
    )
  }

  private val rowGroupBytes = 128L << 20

  private final class Reader(
      stored: Vector[LakeOption],
      schema: SchemaId,
      table: Option[TableId],
      tableOptions: Map[String, String],
      write: CaseInsensitiveStringMap,
  ) {

    /** Only what somebody set, as it would be stored. */
    def chosen(rule: OptionRules.Rule): Option[String] =
      Option(write.get(rule.key))
        .orElse(tableOptions.get(rule.key))
        .orElse(LakeOption.inForce(stored, rule.key, schema, table))
        .map(checked(rule, _))

    def required(rule: OptionRules.Rule): String =
      chosen(rule).orElse(rule.default).getOrElse {
        throw new IllegalStateException(s"${rule.key} has no default")
      }

    def flag(rule: OptionRules.Rule): Boolean = required(rule) == "true"

    def codec(): String = {
      val rule = OptionRules.ParquetCompression
      val own = Option(write.get("compression")).map(name => checked(rule, sparkCodec(name)))
      own.getOrElse(required(rule)) match {
        case "lz4" => "LZ4_RAW"
        case name => name.toUpperCase(Locale.ROOT)
      }
    }

    private def sparkCodec(name: String): String =
      if (name.equalsIgnoreCase("none")) "uncompressed" else name

    def pageVersion(): PageVersion =
      if (required(OptionRules.ParquetVersion) == "V2") PageVersion.V2 else PageVersion.V1

    private def checked(rule: OptionRules.Rule, value: String): String =
      rule.check(value) match {
        case Right(known) => known
        case Left(why) =>
          throw new LakeException(
            LakeError.InvalidSetting(rule.key, s"is `$value`", s"${why.capitalize}.")
          )
      }
  }
}
