package ducklake.spark.extension.address

import ducklake.catalog.error.LakeError
import ducklake.spark.changes.ChangesIdentifier
import ducklake.spark.changes.FeedKind
import ducklake.spark.changes.FeedOptions
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.read.ReadOptions
import ducklake.spark.sparkapi.sql.TimeText
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The snapshot that options of a read name, as Spark's own option and its value. So Spark loads
  * the table at that snapshot, with the columns that it had there.
  */
private[spark] object SnapshotOfOptions {

  /** Errors: InvalidArgument. */
  def version(options: CaseInsensitiveStringMap, table: Identifier): Option[String] =
    of(options, table, "versionAsOf")

  /** A text that Spark reads as a timestamp. Spark takes a text of digits alone for seconds here,
    * and nowhere else. Errors: InvalidArgument.
    */
  def timestamp(options: CaseInsensitiveStringMap, table: Identifier): Option[String] =
    of(options, table, "timestampAsOf").map { text =>
      if (!text.forall(_.isDigit)) text
      else
        TimeText
          .instant(text)
          .fold {
            val why = s"is no timestamp: $text"
            SparkErrors.raise(LakeError.InvalidArgument("Read option", "timestampAsOf", why))
          }(_.toString)
    }

  private def of(
      options: CaseInsensitiveStringMap,
      table: Identifier,
      wanted: String,
  ): Option[String] = if (table.isInstanceOf[ChangesIdentifier]) None
  else {
    val ours = ReadOptions.named(options).map(name => ReadOptions.asSparks(name, options.get(name)))
    val named = ours.toVector ++
      StatementOptions.sparkSnapshots
        .filter(options.containsKey)
        .map(key => key -> options.get(key))
    val found = if (named.isEmpty) endOfFeed(options, table) else named
    found.collectFirst { case (`wanted`, value) => value }
  }

  /** A change feed has the columns that the table has at its end. */
  private def endOfFeed(
      options: CaseInsensitiveStringMap,
      table: Identifier,
  ): Vector[(String, String)] =
    if (FeedKind.ofTable(table.name()).isEmpty) Vector.empty
    else
      FeedOptions.ends.collectFirst {
        case (end, spark) if options.containsKey(end) => spark -> options.get(end)
      }.toVector
}
