package ducklake.files.store

import org.apache.hadoop.conf.Configuration

/** How S3A reads the files of lakes: with few requests.
  *
  * S3A's other stream, `analytics`, asks for the size and the tag of each file that it opens,
  * although we know the size. Columns of a row group with at most 1 MB between them are read by one
  * request of up to 8 MB, as in that stream: reading 1 MB more takes less time than one more
  * request.
  */
private[store] object S3Reading {

  /** @param ofSpark the value that Spark sets when it is not set elsewhere */
  private final case class Choice(key: String, ofSpark: Option[String], ours: String)

  private val choices = Vector(
    Choice("fs.s3a.input.stream.type", None, "classic"),
    Choice("fs.s3a.vectored.read.min.seek.size", Some("128K"), "1M"),
    Choice("fs.s3a.vectored.read.max.merged.size", Some("2M"), "8M"),
  )

  /** Sets what neither the catalog nor the session has chosen. Spark's value cannot be
    * distinguished from the same value of a session, so only a catalog can choose that value.
    *
    * @param settings the settings of the catalog
    */
  def choose(conf: Configuration, settings: Map[String, String]): Unit =
    choices
      .filter(each => !settings.contains(each.key))
      .filter(each => Option(conf.get(each.key)).forall(each.ofSpark.contains))
      .foreach(each => conf.set(each.key, each.ours))
}
