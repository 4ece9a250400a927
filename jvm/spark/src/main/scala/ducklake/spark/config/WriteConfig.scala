package ducklake.spark.config

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope
import ducklake.catalog.option.VariantShredding
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId
import ducklake.catalog.types.text.OptionText
import ducklake.files.parquet.RowGroupRows
import ducklake.spark.sparkapi.sql.VariantSettings
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

import java.util.Locale
import java.util.concurrent.atomic.AtomicBoolean

/** How new files of a table are written: the values of the lake options that apply to the table.
  *
  * @param targetFileSize size in bytes at which the writer begins a new file
  * @param codec the codec's name in Parquet's library
  * @param level compression level; None: the codec's own default
  * @param rowGroupRows maximum number of rows in a row group
  * @param rowGroupBytes approximate maximum number of bytes in a row group
  * @param usesHiveFolders whether files of partitions are written to folders named after their
  *   values
  * @param sortsRows whether rows are sorted by the table's sort order
  * @param rewriteDeleteThreshold the share of deleted rows from which on a file is rewritten
  * @param columnsWithoutBounds columns that get no bounds in the statistics, nor do their parts
  * @param shredding the columns that values of variants get
  * @param infersVariants whether the first rows of a file say which columns the values of its other
  *   variants get, as in Spark's own Parquet files
  * @param isEncrypted whether files are encrypted; fixed when the lake is created
  * @param inliningRowLimit how many rows may be inlined; None: the option is not set
  * @param compactedEpochs after how many epochs a stream merges small files; 0: never
  * @param isolation the level of statements that delete or update rows; None: the option is not set
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
    rewriteDeleteThreshold: Double,
    columnsWithoutBounds: Set[ColumnId],
    inliningRowLimit: Option[Long],
    compactedEpochs: Long = 0L,
    isolation: Option[IsolationLevel] = None,
    shredding: VariantShredding = VariantShredding.Empty,
    infersVariants: Boolean = false,
    isEncrypted: Boolean = false,
)

/** Parquet's two kinds of data page. */
sealed trait PageVersion

object PageVersion {
  case object V1 extends PageVersion
  case object V2 extends PageVersion
}

object WriteConfig {

  /** Options of the write itself have precedence over options of the table, the schema and the
    * lake. They have the lake's names; Spark's own `compression` is accepted too.
    *
    * @param table None for a table that the commit creates
    * @param tableOptions options that the commit will store for the table
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
    val isEncrypted = LakeOption.isEncrypted(stored)
    WriteConfig(
      // With 0, DuckDB also makes files as small as it can.
      targetFileSize = number(reader.required(OptionRules.TargetFileSize)).max(1L),
      codec = reader.codec(),
      level = reader.chosen(OptionRules.ParquetCompressionLevel).map(_.toInt),
      // DuckDB 1.5 cannot read encrypted pages of version 2, and writes none.
      pageVersion = if (isEncrypted) PageVersion.V1 else reader.pageVersion(),
      rowGroupRows = reader.rowGroupRows(),
      rowGroupBytes =
        reader.chosen(OptionRules.ParquetRowGroupSizeBytes).fold(rowGroupBytes)(number),
      usesHiveFolders = reader.flag(OptionRules.HiveFilePattern),
      sortsRows = reader.flag(OptionRules.SortOnInsert),
      rewriteDeleteThreshold = reader.required(OptionRules.RewriteDeleteThreshold).toDouble,
      columnsWithoutBounds = reader.columnsWithoutBounds(),
      inliningRowLimit = reader.chosen(OptionRules.DataInliningRowLimit).map(number),
      compactedEpochs = number(reader.required(OptionRules.CompactAfterEpochs)),
      isolation = reader.chosen(OptionRules.IsolationLevel).map(IsolationLevel.of),
      shredding =
        reader.chosen(OptionRules.ParquetShredding).fold(VariantShredding.Empty)(shredding),
      infersVariants = VariantSettings.infersColumns,
      isEncrypted = isEncrypted,
    )
  }

  private val rowGroupBytes = 128L << 20

  private val log = LoggerFactory.getLogger(classOf[WriteConfig])

  /** Whether the log has the warning, which would otherwise be there once for each write. */
  private val warned = new AtomicBoolean(false)

  private val NotCounted = "has no effect on what Spark 4.0 writes"
  private val SayBytes =
    s"Say `${OptionRules.ParquetRowGroupSizeBytes.key}`, or use Spark 4.1 or newer."

  private def number(checked: String): Long =
    OptionText.number(checked).getOrElse(throw new IllegalStateException(s"no number: $checked"))

  private def shredding(checked: String): VariantShredding =
    VariantShredding.of(checked).fold(why => throw new IllegalStateException(why), identity)

  /** The ids in the option `skip_stats_columns`. Texts that are not ids are left out, as in DuckDB.
    */
  private def idsOf(text: String): Set[ColumnId] =
    text.split(',').flatMap(_.trim.toLongOption).map(ColumnId(_)).toSet

  private final class Reader(
      stored: Vector[LakeOption],
      schema: SchemaId,
      table: Option[TableId],
      tableOptions: Map[String, String],
      write: CaseInsensitiveStringMap,
  ) {

    /** The value that was set for the write, the table, the schema or the lake, in its stored form;
      * None when the option is not set.
      */
    def chosen(rule: OptionRules.Rule): Option[String] =
      Option(write.get(rule.key))
        .orElse(tableOptions.get(rule.key))
        .map(checked(rule, _))
        .orElse(
          LakeOption.inForce(stored, rule.key, schema, table).map(StoredOption.checked(rule, _))
        )

    def required(rule: OptionRules.Rule): String =
      chosen(rule).orElse(LakeOption.default(stored, rule)).getOrElse {
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

    /** Only the table's own option counts. */
    def columnsWithoutBounds(): Set[ColumnId] = {
      val key = OptionRules.SkipStatsColumns.key
      val own = tableOptions.get(key).orElse {
        table
          .flatMap { id =>
            stored.find(option => option.key == key && option.scope == OptionScope.OfTable(id))
          }
          .map(_.value)
      }
      own.fold(Set.empty[ColumnId])(WriteConfig.idsOf)
    }

    /** Spark 4.0 ends a row group by its bytes alone: the write's own option is refused, and another
      * engine may have set that of the lake.
      */
    def rowGroupRows(): Int = {
      val rule = OptionRules.ParquetRowGroupSize
      if (!RowGroupRows.areCounted) {
        if (write.containsKey(rule.key))
          throw new LakeException(LakeError.InvalidSetting(rule.key, NotCounted, SayBytes))
        if (chosen(rule).isDefined && warned.compareAndSet(false, true))
          log.warn("`{}` of the lake {}. {}", rule.key, NotCounted, SayBytes)
      }
      number(required(rule)).min(Int.MaxValue.toLong).toInt
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
