package ducklake.catalog.change

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Names
import ducklake.catalog.types.OptionText

/** Which options a lake, its schemas and its tables have, and which values they take: the only list.
  *
  * Source: DuckDB 1.5.5, observed (format 8.5).
  */
object OptionRules {

  /** Whom an option is set for. */
  sealed trait OptionLevel

  object OptionLevel {
    case object Lake extends OptionLevel
    case object Schema extends OptionLevel
    case object Table extends OptionLevel
  }

  /** One option.
    *
    * @param check what is stored for what users write, or why it is not taken
    * @param default what holds where nothing is stored; None: whoever uses it decides
    * @param isGlobal it holds for the whole lake only
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

  /** What holds of rows in the catalog where neither an option nor a setting says otherwise. */
  val DefaultInliningRows: Long = 10L

  val DataInliningRowLimit: Rule = Rule(
    "data_inlining_row_limit",
    OptionText.whole(_, 0, Long.MaxValue),
    Some(DefaultInliningRows.toString),
    "Rows of a small change kept in the catalog",
  )

  val ParquetCompression: Rule = Rule(
    "parquet_compression",
    OptionText.codec,
    Some("snappy"),
    "Codec of new Parquet files",
  )

  /** Those of zstd. The format has them from -131072 on, but DuckDB stores no negative one. */
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
    OptionText.whole(_, 1, Long.MaxValue),
    Some("122880"),
    "Rows of a row group",
  )

  val ParquetRowGroupSizeBytes: Rule =
    Rule("parquet_row_group_size_bytes", OptionText.bytes, None, "Bytes of a row group")

  val TargetFileSize: Rule = Rule(
    "target_file_size",
    OptionText.bytes,
    Some("536870912"),
    "Size a new file should have, in bytes",
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

  /** What users may set. */
  val all: Vector[Rule] = Vector(
    DataInliningRowLimit,
    ParquetCompression,
    ParquetCompressionLevel,
    ParquetVersion,
    ParquetRowGroupSize,
    ParquetRowGroupSizeBytes,
    TargetFileSize,
    HiveFilePattern,
    RequireCommitMessage,
    Rule(
      "rewrite_delete_threshold",
      OptionText.share,
      Some("0.95"),
      "Deleted share from which a file is rewritten",
    ),
    Rule(
      "delete_older_than",
      OptionText.age,
      Some("2 days"),
      "Age from which cleanup removes files",
      isGlobal = true,
    ),
    Rule(
      "expire_older_than",
      OptionText.age,
      None,
      "Age from which snapshots expire",
      isGlobal = true,
    ),
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
  )

  /** Stored beside the options, when the lake is made. */
  val facts: Vector[Rule] = Vector(
    fact("version", None, "Version of the catalog's format"),
    fact("created_by", None, "What made the lake"),
    fact("data_path", None, "Where the lake's files are"),
    fact("encrypted", Some("false"), "Data files are encrypted"),
  )

  private def fact(key: String, default: Option[String], sentence: String): Rule =
    Rule(key, _ => Left("it is settled when the lake is made"), default, sentence, isGlobal = true)

  def isKnown(name: String): Boolean = all.exists(_.key == key(name))

  /** The key that is stored for an option. */
  def key(name: String): String = Names.folded(name)

  /** What is stored for a value as users give it.
    *
    * Errors: InvalidOption for an unknown option, a value that it does not take, and a reach that it
    * does not have.
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
