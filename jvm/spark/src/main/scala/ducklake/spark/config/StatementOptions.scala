package ducklake.spark.config

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.option.OptionRules
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util.Locale

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala

/** The options that reads and writes accept: the only list of them. Every other option is an error,
  * above all an option to which another format gives a meaning.
  *
  * Upper and lower case are equal in names, as in Spark's options.
  *
  * Source: jvm/docs/reading.md, "Time travel"; jvm/docs/writing.md, "Options of a write".
  */
object StatementOptions {

  /** Read options that name a snapshot. */
  val snapshots: Vector[String] =
    Vector("snapshot-version", "snapshot-id", "snapshot-time", "as-of-timestamp")

  /** Spark's own options that name a snapshot. Spark applies them before it calls a table. */
  val sparkSnapshots: Vector[String] = Vector("versionAsOf", "timestampAsOf")

  val ReplaceWhere: String = "replaceWhere"
  val MergeSchema: String = "mergeSchema"
  val OverwriteSchema: String = "overwriteSchema"
  val PartitionOverwriteMode: String = "partitionOverwriteMode"

  /** Lake options that a single write may set for itself. */
  val lakeOptions: Vector[String] = Vector(
    OptionRules.DataInliningRowLimit,
    OptionRules.ParquetCompression,
    OptionRules.ParquetCompressionLevel,
    OptionRules.ParquetVersion,
    OptionRules.ParquetRowGroupSize,
    OptionRules.ParquetRowGroupSizeBytes,
    OptionRules.TargetFileSize,
    OptionRules.HiveFilePattern,
    OptionRules.SortOnInsert,
    OptionRules.IsolationLevel,
  ).map(_.key)

  val TxnAppId: String = "txn-app-id"
  val TxnVersion: String = "txn-version"

  /** The number of a write that may be repeated, with Delta's names of the two. */
  val numbers: Vector[String] = Vector(TxnAppId, TxnVersion, "txnAppId", "txnVersion")

  private val commit = Vector("commit-author", "commit-message", "commit-extra-info") ++ numbers

  private val rows = Vector(ReplaceWhere, MergeSchema, OverwriteSchema, PartitionOverwriteMode)

  /** Options of `df.write` that Spark itself reads when `saveAsTable` creates the table. */
  private val sparkWrites = Vector("comment", "collation")

  val MergeKeys: String = "merge-keys"
  val SequenceBy: String = "sequence-by"
  val DeleteWhen: String = "delete-when"

  /** Options of streams that merge their rows into a table by key. */
  val upserts: Vector[String] = Vector(MergeKeys, SequenceBy, DeleteWhen)

  /** Options of `df.writeStream` alone. Spark itself reads the first two. */
  private val streamWrites =
    Vector("checkpointLocation", "queryName", OptionRules.CompactAfterEpochs.key) ++ upserts

  /** Options of reads. */
  val reads: Vector[String] = snapshots ++ sparkSnapshots

  /** Options of writes. */
  val writes: Vector[String] = ("compression" +: lakeOptions) ++ commit ++ rows ++ sparkWrites

  /** Spark adds this option to the relations that a statement writes to. */
  private val SparkWriteMarker = "__required_write_privileges__"

  /** Refuses options that reads do not have. Errors: InvalidSetting. */
  def checkRead(options: Iterable[String]): Unit = check("read", options, reads, readHints)

  /** Whether reads have all of these options. */
  def areOfRead(options: Iterable[String]): Boolean = options.forall(isKnown(_, reads))

  /** Refuses options that reads of metadata tables do not have: only Spark's own options name a
    * snapshot there. Errors: InvalidSetting.
    */
  def checkReadOfMetadata(options: Iterable[String]): Unit =
    check("read of a table about a table or the lake", options, sparkSnapshots, metadataHints)

  /** Refuses options that neither writes nor streams to a table have. Spark reveals only later
    * which of the two a write is. Errors: InvalidSetting.
    */
  def checkWrite(options: Iterable[String]): Unit =
    check("write", options.filterNot(isOfStream), writes, writeHints)

  /** Refuses the options of streams. Errors: InvalidSetting. */
  def checkBatchWrite(options: Iterable[String]): Unit =
    check("write", options.filter(isOfStream), writes, writeHints)

  /** The options without those of streams. */
  def ofBatch(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap =
    new CaseInsensitiveStringMap(
      options.asCaseSensitiveMap().asScala.filterNot { case (name, _) => isOfStream(name) }.asJava
    )

  private def isOfStream(option: String): Boolean = streamWrites.exists(_.equalsIgnoreCase(option))

  /** Whether a read, a write or a stream of any kind has this option. */
  def isOfStatement(option: String): Boolean =
    isKnown(option, reads ++ writes ++ streamWrites ++ changes ++ streams ++ changesClause)

  /** Whether the error for this unknown option has a hint of its own. */
  def isExplained(option: String): Boolean =
    (readHints ++ changesHints ++ streamHints ++ writeHints)
      .contains(option.toLowerCase(Locale.ROOT))

  private def check(
      what: String,
      options: Iterable[String],
      known: Vector[String],
      hints: Map[String, String],
  ): Unit =
    options.toVector.sorted
      .find(name => !isKnown(name, known))
      .foreach { name =>
        val hint = hints.getOrElse(name.toLowerCase(Locale.ROOT), nearest(name, known))
        throw new LakeException(
          LakeError.InvalidSetting(name, s"is not known as an option of a $what", hint)
        )
      }

  private def isKnown(name: String, known: Vector[String]): Boolean =
    known.exists(_.equalsIgnoreCase(name)) || name == SparkWriteMarker

  private def nearest(name: String, known: Vector[String]): String =
    if (OptionRules.isKnown(name))
      "It is an option of tables, schemas and lakes: `ALTER TABLE … SET TBLPROPERTIES` or `set_option`."
    else s"The nearest known option is `${NearestName.of(name, known)}`."

  /** Options of reads of a change feed: its first and its last snapshot. */
  val changes: Vector[String] =
    Vector("start-snapshot", "end-snapshot", "start-timestamp", "end-timestamp")

  /** Refuses options that reads of change feeds do not have. Errors: InvalidSetting. */
  def checkReadOfChanges(options: Iterable[String]): Unit =
    check("read of a change feed", options, changes ++ sparkSnapshots, changesHints)

  val MaxFilesPerTrigger: String = "max-files-per-trigger"
  val MaxRowsPerTrigger: String = "max-rows-per-trigger"
  val MaxBytesPerTrigger: String = "max-bytes-per-trigger"
  private val streamLimits = Vector(MaxFilesPerTrigger, MaxRowsPerTrigger, MaxBytesPerTrigger)
  val SkipChanges: String = "skip-changes"
  val RegisterReader: String = "register-reader"

  /** Options of streams of change feeds. */
  val streamsOfChanges: Vector[String] =
    Vector("start-snapshot", "start-timestamp", RegisterReader) ++ streamLimits

  /** Options of streams of tables. */
  val streams: Vector[String] = streamsOfChanges :+ SkipChanges

  /** Refuses options that streams of tables do not have. Errors: InvalidSetting. */
  def checkStream(options: Iterable[String]): Unit =
    check("stream of a table", options, streams, streamHints)

  /** Refuses options that streams of change feeds do not have. Errors: InvalidSetting. */
  def checkStreamOfChanges(options: Iterable[String]): Unit =
    check("stream of a change feed", options, streamsOfChanges, streamHints ++ feedStreamHints)

  /** Options of Spark's clause CHANGES, which Spark applies itself. */
  private val changesClause: Vector[String] = Vector(
    "startingVersion",
    "endingVersion",
    "startingTimestamp",
    "endingTimestamp",
    "startingBoundInclusive",
    "endingBoundInclusive",
    "computeUpdates",
    "deduplicationMode",
  )

  /** Refuses options that the clause CHANGES does not have. Errors: InvalidSetting. */
  def checkChangesClause(options: Iterable[String]): Unit =
    check("read of CHANGES", options, changesClause, limitHints)

  /** Refuses options that streams of CHANGES do not have. Errors: InvalidSetting. */
  def checkStreamOfChangelog(options: Iterable[String]): Unit =
    check(
      "stream of CHANGES",
      options,
      changesClause ++ streamLimits :+ RegisterReader,
      Map.empty,
    )

  private def foreignChangeOptions: Vector[String] =
    Vector("readChangeFeed", "readChangeData", "start-snapshot-id", "end-snapshot-id") ++
      ForeignWords.ofFeeds.map(_._1)

  private val metadataHints: Map[String, String] =
    snapshots.map(_ -> "Name the snapshot by `versionAsOf` or `timestampAsOf`.").toMap

  private val limitHints: Map[String, String] =
    hints("It is an option of streams: `spark.readStream`." -> (streamLimits :+ RegisterReader))

  private val changesHints: Map[String, String] =
    hints(
      "Say it with `start-snapshot` and `end-snapshot`." -> foreignChangeOptions
    ) ++ metadataHints ++ limitHints

  private val readHints: Map[String, String] = hints(
    "Read the table's change feed, `<table>.changes`, with `start-snapshot` and `end-snapshot`." ->
      (foreignChangeOptions ++ changes),
    "It is an option of streams: `spark.readStream`." -> (streamLimits ++ Vector(
      SkipChanges,
      RegisterReader,
    )),
    "DuckLake has no branches: name a snapshot by `versionAsOf`, which takes names of `keep_snapshot`." ->
      Vector("branch", "tag"),
    "The lake itself knows the columns of its tables: leave it out." -> Vector("mergeSchema"),
    noPath,
  )

  private val streamHints: Map[String, String] = hints(
    "A stream begins with a snapshot, and does not stay there: `start-snapshot` names the first one." ->
      (snapshots ++ sparkSnapshots ++ Vector("start-snapshot-id", "streaming-start-snapshot")),
    "Say it with `start-timestamp`." -> Vector("stream-from-timestamp"),
    "A stream has no end: read a batch, or use the trigger AvailableNow." ->
      Vector("end-snapshot", "end-timestamp", "endingVersion", "endingTimestamp"),
    s"Say it with `$MaxFilesPerTrigger`, `$MaxRowsPerTrigger` or `$MaxBytesPerTrigger`." -> Vector(
      "maxFilesPerTrigger",
      "maxBytesPerTrigger",
      "streaming-max-files-per-micro-batch",
      "streaming-max-rows-per-micro-batch",
    ),
    s"`$SkipChanges` leaves out snapshots that delete or update rows." -> Vector(
      "ignoreChanges",
      "ignoreDeletes",
      "streaming-skip-overwrite-snapshots",
      "streaming-skip-delete-snapshots",
    ),
    "Read a stream of the table's change feed, `<table>.changes`." ->
      Vector("readChangeFeed", "readChangeData"),
    noPath,
  )

  private val feedStreamHints: Map[String, String] =
    hints(
      "A change feed has all changes: leave it out." ->
        Vector(SkipChanges, "skipChangeCommits", "ignoreChanges", "ignoreDeletes")
    )

  private val writeHints: Map[String, String] = hints(
    "DuckLake has no branches: leave it out." -> Vector("branch"),
    "Say it with `commit-message` or `commit-extra-info`." -> Vector("userMetadata"),
    "The size of files is `target_file_size`, in bytes." ->
      Vector("maxRecordsPerFile", "target-file-size-bytes", "targetFileSize"),
    "Say it with `compression`." -> Vector("compression-codec", "parquet.compression"),
    noPath,
  )

  private def noPath: (String, Vector[String]) =
    "The lake knows where the files of its tables are: leave it out." -> Vector("path", "location")

  private def hints(texts: (String, Vector[String])*): Map[String, String] =
    texts.flatMap { case (text, names) =>
      names.map(_.toLowerCase(Locale.ROOT) -> text)
    }.toMap
}
