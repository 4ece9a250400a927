package ducklake.spark.session

import ducklake.catalog.change.operation.ApplicationWrite

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

/** A tag of Spark's operations that numbers the writes of a thread. The Python package sets it
  * around UPDATE, DELETE and MERGE, which have no options: only tags belong to one thread both in a
  * classic session and over Spark Connect.
  */
private[session] object NumberTag {

  /** In front of the version, a colon and the application's name in Base64 for URLs. */
  val Prefix = "ducklake-txn:"

  /** None for a tag that numbers no write. */
  def read(tag: String): Option[ApplicationWrite] =
    tag.indexOf(Prefix) match {
      case -1 => None
      case start =>
        tag.substring(start + Prefix.length).split(":", 2) match {
          case Array(version, name) => Some(ApplicationWrite(text(name), version.toLong))
          case _ => throw new IllegalArgumentException(s"the tag $tag has no version and name")
        }
    }

  private def text(name: String): String = new String(Base64.getUrlDecoder.decode(name), UTF_8)
}
