package ducklake.catalog.change

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.OptionText

import java.util.Locale

/** Which options a lake, its schemas and its tables have, and which values they take.
  *
  * Source: DuckDB 1.5.5, observed (format 8.5).
  */
object OptionRules {

  /** Whom an option is set for. */
  sealed trait Reach

  object Reach {
    case object Lake extends Reach
    case object Schema extends Reach
    case object Table extends Reach
  }

  /** An option as it is stored. */
  final case class Setting(key: String, value: String)

  def isKnown(name: String): Boolean = rules.contains(key(name))

  /** The key that is stored for an option. */
  def key(name: String): String = name.toLowerCase(Locale.ROOT)

  /** What is stored for a value as users give it.
    *
    * Errors: InvalidOption for an unknown option, a value that it does not take, and a reach that it
    * does not have.
    */
  def stored(name: String, value: String, reach: Reach): Either[LakeError, Setting] =
    rules.get(key(name)) match {
      case None =>
        val known = rules.keys.toVector.sorted.mkString(", ")
        Left(LakeError.InvalidOption(name, value, s"there is no such option; there are $known"))
      case Some(Rule(_, isGlobal)) if isGlobal && reach != Reach.Lake =>
        Left(LakeError.InvalidOption(name, value, "it holds for the whole lake only"))
      case Some(Rule(text, _)) =>
        text(value).left
          .map(why => LakeError.InvalidOption(name, value, why))
          .map(Setting(key(name), _))
    }

  private final case class Rule(text: String => Either[String, String], isGlobal: Boolean)

  private def ofAll(text: String => Either[String, String]): Rule = Rule(text, isGlobal = false)

  private def ofLake(text: String => Either[String, String]): Rule = Rule(text, isGlobal = true)

  private val rules: Map[String, Rule] = Map(
    "data_inlining_row_limit" -> ofAll(OptionText.whole(_, least = 0)),
    "parquet_compression" -> ofAll(OptionText.codec),
    "parquet_compression_level" -> ofAll(OptionText.whole(_, least = 0)),
    "parquet_version" -> ofAll(OptionText.parquetVersion),
    "parquet_row_group_size" -> ofAll(OptionText.whole(_, least = 1)),
    "parquet_row_group_size_bytes" -> ofAll(OptionText.bytes),
    "target_file_size" -> ofAll(OptionText.bytes),
    "hive_file_pattern" -> ofAll(OptionText.flag),
    "require_commit_message" -> ofLake(OptionText.flag),
    "rewrite_delete_threshold" -> ofAll(OptionText.share),
    "delete_older_than" -> ofLake(OptionText.age),
    "expire_older_than" -> ofLake(OptionText.age),
    "auto_compact" -> ofAll(OptionText.flag),
    "per_thread_output" -> ofAll(OptionText.flag),
    "sort_on_insert" -> ofAll(OptionText.flag),
    "write_deletion_vectors" -> ofAll(OptionText.flag),
  )
}
