package ducklake.catalog.option

import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Names
import ducklake.catalog.types.text.OptionText

/** All options of a lake, its schemas and its tables, with the values that they accept. There is no
  * other list.
  *
  * Source: DuckDB 1.5.5, observed (format 8.5).
  */
object OptionRules {

  /** The kind of object that an option is set for. */
  sealed trait OptionLevel

  object OptionLevel {
    case object Lake extends OptionLevel
    case object Schema extends OptionLevel
    case object Table extends OptionLevel
  }

  /** One option.
    *
    * @param check the stored text for the text that a user gives, or why that text is refused
    * @param default the value in force when none is stored; None: the code that uses the option
    *   chooses it
    * @param isGlobal the option can be set only for the whole lake
    */
  final case class Rule(
      key: String,
      check: String => Either[String, String],
      default: Option[String],
      sentence: String,
      isGlobal: Boolean = false,
  )

  /** An option as it is stored. */
  final case class Setting(key: String, value: String)

  /** The inlining row limit when neither an option nor a setting gives one. */
  val DefaultInliningRows: Long = 10L

  val DataInliningRowLimit: Rule = Rule(
    "data_inlining_row_limit",
    OptionText.unsigned(_, 0),
    Some(DefaultInliningRows.toString),
    "Rows of a small change kept in the catalog",
  )

  val ParquetCompression: Rule = Rule(
    "parquet_compression",
    OptionText.codec,
    Some("snappy"),
    "Codec of new Parquet files",
  )

  /** The range of zstd levels. The codec has levels from -131072 on, but DuckDB stores no negative
    * level.
    */
  val ParquetCompressionLevel: Rule = Rule(
    "parquet_compression_level",
    OptionText.whole(_, 0, 22),
    None,
    "Level of the codec, where it has levels",
  )

  val ParquetVersion: Rule = Rule(
    "parquet_version",
    OptionText.parquetVersion,
    Some("V1"),
    "Data page version of new Parquet files",
  )

  val ParquetRowGroupSize: Rule = Rule(
    "parquet_row_group_size",
    OptionText.unsigned(_, 1),
    Some("122880"),
    "Rows of a row group",
  )

  val ParquetRowGroupSizeBytes: Rule =
    Rule("parquet_row_group_size_bytes", OptionText.bytes(_, 1), None, "Bytes of a row group")

  /** Source: format 14.10; DuckDB 1.5.5 does not know it. */
  val ParquetShredding: Rule = Rule(
    "parquet_shredding",
    text => VariantShredding.of(text).map(_ => text),
    None,
    "Columns for values of variants: a line `column=type` for each variant",
  )

  val TargetFileSize: Rule = Rule(
    "target_file_size",
    OptionText.bytes(_, 0),
    Some("536870912"),
    "Size a new file should have, in bytes",
  )

  val RewriteDeleteThreshold: Rule = Rule(
    "rewrite_delete_threshold",
    OptionText.share,
    Some("0.95"),
    "Deleted share from which a file is rewritten",
  )

  val HiveFilePattern: Rule = Rule(
    "hive_file_pattern",
    OptionText.flag,
    Some("true"),
    "Partitioned files go to folders named after values",
  )

  val RequireCommitMessage: Rule = Rule(
    "require_commit_message",
    OptionText.flag,
    Some("false"),
    "Commits without a message fail",
    isGlobal = true,
  )

  val AutoCompact: Rule = Rule(
    "auto_compact",
    OptionText.flag,
    Some("true"),
    "Maintenance of the whole lake includes the table",
  )

  val SortOnInsert: Rule = Rule(
    "sort_on_insert",
    OptionText.flag,
    Some("true"),
    "New rows are sorted by the table's sort order",
  )

  val IsolationLevel: Rule = Rule(
    "isolation-level",
    OptionText.isolationLevel,
    Some("snapshot"),
    "When DELETE, UPDATE and MERGE conflict with rows that others added: `snapshot` (never) or `serializable`",
  )

  val CompactAfterEpochs: Rule = Rule(
    "compact-after-epochs",
    OptionText.unsigned(_, 0),
    Some("0"),
    "After so many epochs a stream that writes from Spark merges small files and inlined rows of its table; 0: never",
  )

  val DeleteOlderThan: Rule = Rule(
    "delete_older_than",
    OptionText.age,
    Some("2 days"),
    "Age from which cleanup removes files",
    isGlobal = true,
  )

  val ExpireOlderThan: Rule = Rule(
    "expire_older_than",
    OptionText.age,
    None,
    "Age from which snapshots expire",
    isGlobal = true,
  )

  val ReaderRetention: Rule = Rule(
    "reader-retention",
    OptionText.readerAge,
    Some("7 days"),
    "How long after its last registration a reader keeps snapshots from expiry; at least 2 hours",
    isGlobal = true,
  )

  /** The ids of the columns of a table whose files get no bounds in the statistics. An id has a
    * meaning in one table only. [[SkippedStatistics]] finds the ids of the names that a user gives.
    *
    * Source: format 14.10.
    */
  val SkipStatsColumns: Rule = Rule(
    "skip_stats_columns",
    _ => Left("it is set for one table"),
    None,
    "Ids of columns without bounds in the statistics",
  )

  /** The options that users can set. */
  val all: Vector[Rule] = Vector(
    DataInliningRowLimit,
    ParquetCompression,
    ParquetCompressionLevel,
    ParquetVersion,
    ParquetRowGroupSize,
    ParquetRowGroupSizeBytes,
    ParquetShredding,
    TargetFileSize,
    HiveFilePattern,
    RequireCommitMessage,
    RewriteDeleteThreshold,
    DeleteOlderThan,
    ExpireOlderThan,
    AutoCompact,
    Rule(
      "per_thread_output",
      OptionText.flag,
      Some("false"),
      "Each writing thread makes files of its own",
    ),
    SortOnInsert,
    Rule(
      "write_deletion_vectors",
      OptionText.flag,
      Some("false"),
      "Deletes are written as deletion vectors",
    ),
    SkipStatsColumns,
    IsolationLevel,
    ReaderRetention,
    CompactAfterEpochs,
  )

  val Encrypted: String = "encrypted"

  /** Properties of the lake that are stored with the options when the lake is created. Users cannot
    * set them.
    */
  val facts: Vector[Rule] = Vector(
    fact("version", None, "Version of the catalog's format"),
    fact("created_by", None, "What made the lake"),
    fact("data_path", None, "Where the lake's files are"),
    fact(Encrypted, Some("false"), "Data files are encrypted"),
  )

  private def fact(key: String, default: Option[String], sentence: String): Rule =
    Rule(key, _ => Left("it is settled when the lake is made"), default, sentence, isGlobal = true)

  def isKnown(name: String): Boolean = all.exists(_.key == key(name))

  /** The key that is stored for an option. */
  def key(name: String): String = Names.folded(name)

  /** The stored form of a value that a user gives for a table. Errors: as [[stored]]. */
  def ofTable(name: String, value: String, table: TableDefinition): Either[LakeError, Setting] = {
    def setting(text: Either[String, String]): Either[LakeError, Setting] =
      text.left.map(LakeError.InvalidOption(name, value, _)).map(Setting(key(name), _))
    key(name) match {
      case SkipStatsColumns.key =>
        setting(SkippedStatistics.of(value, table).map(_.map(_.value).mkString(",")))
      case ParquetShredding.key => setting(VariantShredding.of(value, table).map(_ => value))
      case _ => stored(name, value, OptionLevel.Table)
    }
  }

  /** The stored form of a value that a user gives.
    *
    * Errors: InvalidOption for an unknown option, for a value that the option does not accept, and
    * for a level at which it cannot be set.
    */
  def stored(name: String, value: String, reach: OptionLevel): Either[LakeError, Setting] =
    (all ++ facts).find(_.key == key(name)) match {
      case None =>
        val known = all.map(_.key).sorted.mkString(", ")
        Left(LakeError.InvalidOption(name, value, s"there is no such option; there are $known"))
      case Some(rule) if rule.isGlobal && reach != OptionLevel.Lake =>
        Left(LakeError.InvalidOption(name, value, "it holds for the whole lake only"))
      case Some(rule) =>
        rule
          .check(value)
          .left
          .map(why => LakeError.InvalidOption(name, value, why))
          .map(Setting(key(name), _))
    }
}
