package ducklake.spark.streaming

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeBound
import ducklake.spark.changes.FeedOptions
import ducklake.spark.config.ForeignWords
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters.MapHasAsScala

/** The options of a stream that reads. Source: jvm/docs/streaming.md; decision 20.
  *
  * @param start the first snapshot that is read; None: the stream begins with the newest snapshot
  * @param registersReader whether the catalog keeps the position of the stream
  */
private[streaming] final case class ReadStreamOptions(
    start: Option[ChangeBound],
    limit: AdmissionLimit,
    changedRows: ChangedRowsRule,
    registersReader: Boolean,
)

/** How a stream of a table treats a snapshot that deletes or updates rows. */
private[streaming] sealed trait ChangedRowsRule

private[streaming] object ChangedRowsRule {
  case object Refused extends ChangedRowsRule

  /** The whole snapshot is left out, with the rows that it inserts. */
  case object Skipped extends ChangedRowsRule
}

private[streaming] object ReadStreamOptions {

  /** Options of a stream of a table. Errors: InvalidSetting, InvalidArgument. */
  def ofTable(written: CaseInsensitiveStringMap): ReadStreamOptions = {
    val options = ForeignWords.translated(written, ForeignWords.ofStreams)
    StatementOptions.checkStream(names(options))
    val skips = flag(options, StatementOptions.SkipChanges).contains(true)
    val changed = if (skips) ChangedRowsRule.Skipped else ChangedRowsRule.Refused
    of(options, changed)
  }

  /** Options of a stream of a change feed. Errors: InvalidSetting, InvalidArgument. */
  def ofFeed(written: CaseInsensitiveStringMap): ReadStreamOptions = {
    val options = ForeignWords.translated(written, ForeignWords.ofFeedStreams)
    StatementOptions.checkStreamOfChanges(names(options))
    of(options, ChangedRowsRule.Refused)
  }

  /** Options of a stream of Spark's CHANGES, whose start Spark itself has read.
    *
    * Errors: InvalidSetting, InvalidArgument.
    */
  def ofChangelog(
      options: CaseInsensitiveStringMap,
      start: Option[ChangeBound],
  ): ReadStreamOptions = {
    StatementOptions.checkStreamOfChangelog(names(options))
    ReadStreamOptions(start, limit(options), ChangedRowsRule.Refused, registers(options))
  }

  private def of(options: CaseInsensitiveStringMap, changed: ChangedRowsRule): ReadStreamOptions =
    ReadStreamOptions(FeedOptions.start(options), limit(options), changed, registers(options))

  private def registers(options: CaseInsensitiveStringMap): Boolean =
    flag(options, StatementOptions.RegisterReader).getOrElse(true)

  private def flag(options: CaseInsensitiveStringMap, name: String): Option[Boolean] =
    Option(options.get(name)).map { text =>
      text.trim.toBooleanOption.getOrElse(fail(name, s"is neither true nor false: $text"))
    }

  private def limit(options: CaseInsensitiveStringMap): AdmissionLimit = {
    val files = positive(options, StatementOptions.MaxFilesPerTrigger, Int.MaxValue.toLong)
    val rows = positive(options, StatementOptions.MaxRowsPerTrigger, Long.MaxValue)
    val bytes = positive(options, StatementOptions.MaxBytesPerTrigger, Long.MaxValue)
    AdmissionLimit(files.map(_.toInt), rows, bytes)
  }

  private def positive(
      options: CaseInsensitiveStringMap,
      name: String,
      largest: Long,
  ): Option[Long] =
    Option(options.get(name)).map { text =>
      text.trim.toLongOption
        .filter(number => 0 < number && number <= largest)
        .getOrElse(fail(name, s"is no whole number from 1 to $largest: $text"))
    }

  private def names(options: CaseInsensitiveStringMap): Iterable[String] =
    options.asCaseSensitiveMap().asScala.keys

  private def fail(name: String, why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument("Read option", name, why))
}
