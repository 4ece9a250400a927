package ducklake.spark.config

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** Options of other libraries that mean exactly what an option of ours means. Options that mean
  * something else are refused, see [[StatementOptions]].
  *
  * Source: jvm/docs/from-iceberg-and-delta.md, "Options".
  */
object ForeignWords {

  /** Delta's bounds of a change data feed, which are those of Spark's CHANGES too: both ends belong
    * to it.
    */
  val ofFeeds: Vector[(String, String)] = Vector(
    "startingVersion" -> "start-snapshot",
    "startingTimestamp" -> "start-timestamp",
    "endingVersion" -> "end-snapshot",
    "endingTimestamp" -> "end-timestamp",
  )

  /** A stream of Delta with a start has nothing from before it, as ours. */
  val ofFeedStreams: Vector[(String, String)] = ofFeeds.take(2)

  val ofStreams: Vector[(String, String)] =
    ofFeedStreams :+ ("skipChangeCommits" -> StatementOptions.SkipChanges)

  /** Delta's names of the number of a write. */
  val ofWrites: Vector[(String, String)] = Vector(
    "txnAppId" -> StatementOptions.TxnAppId,
    "txnVersion" -> StatementOptions.TxnVersion,
  )

  /** Delta's two names of the option that reads a change data feed. */
  private val feeds: Vector[String] = Vector("readChangeFeed", "readChangeData")

  /** Whether options ask for the change data feed of Delta. */
  def asksForFeed(options: CaseInsensitiveStringMap): Boolean =
    feeds.exists(name => options.getBoolean(name, false))

  /** The options without those that ask for the feed. */
  def withoutFeed(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val others = new util.HashMap[String, String](options.asCaseSensitiveMap())
    others.keySet().removeIf(key => feeds.exists(_.equalsIgnoreCase(key)))
    new CaseInsensitiveStringMap(others)
  }

  /** The options in our words. Errors: InvalidSetting when two options name the same. */
  def translated(
      options: CaseInsensitiveStringMap,
      words: Vector[(String, String)],
  ): CaseInsensitiveStringMap = {
    val named = words.filter { case (foreign, _) => options.containsKey(foreign) }
    if (named.isEmpty) options
    else {
      val ours = new util.HashMap[String, String](options.asCaseSensitiveMap())
      named.foreach { case (foreign, own) =>
        if (options.containsKey(own))
          throw new LakeException(
            LakeError.InvalidSetting(foreign, s"is given together with `$own`", "Leave one out.")
          )
        ours.keySet().removeIf(_.equalsIgnoreCase(foreign))
        ours.put(own, options.get(foreign))
      }
      new CaseInsensitiveStringMap(ours)
    }
  }
}
