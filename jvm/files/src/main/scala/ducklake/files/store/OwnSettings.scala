package ducklake.files.store

import org.apache.hadoop.conf.Configuration

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.jdk.CollectionConverters.*

/** The Hadoop settings of one catalog, laid over the session's settings. */
private[store] object OwnSettings {

  /** Sets the settings, and removes settings of the session that Hadoop would prefer: settings for
    * single buckets, and stores of secrets. When the catalog gives both keys of S3, the session's
    * token and its credentials provider are ignored, too.
    */
  def layOver(conf: Configuration, settings: Map[String, String]): Unit =
    if (settings.nonEmpty) {
      val own = settings ++ S3Keys.providers(settings)
      val ofS3 = keysOf(conf, S3)
      val foreign = S3Keys.foreignTo(own)
      val ofBuckets = ofS3.filter(isRival(_, own.keySet ++ foreign))
      val rivals = foreign ++ ofBuckets ++ stores(ofS3, settings)
      rivals.filterNot(own.contains).foreach(conf.unset(_))
      own.foreach { case (key, value) => conf.set(key, value) }
    }

  /** A digest of all file system settings in force, which does not reveal them. File systems with
    * the same digest may be shared.
    */
  def digest(conf: Configuration, settings: Map[String, String]): String = {
    val inForce = conf.getPropsWithPrefix(FileSystems).asScala.toMap
    val stores = Common -> conf.get(Common, "")
    val text = (inForce ++ settings + stores).toVector.sorted.map { case (key, value) =>
      s"$key\u0000$value"
    }
    val hash = MessageDigest.getInstance("SHA-256").digest(text.mkString("\u0001").getBytes(UTF_8))
    hash.map(byte => f"$byte%02x").mkString
  }

  /** Whether this is a setting of one bucket that rivals a setting of the catalog for all buckets.
    */
  private def isRival(key: String, own: Set[String]): Boolean =
    key.startsWith(OfBucket) && own.exists { name =>
      name.startsWith(S3) && key.endsWith("." + name.stripPrefix(S3))
    }

  /** The stores of secrets that Hadoop reads before a secret of the catalog, or before the
    * catalog's own store: S3A reads the stores for S3 before the common stores.
    */
  private def stores(ofS3: Seq[String], settings: Map[String, String]): Seq[String] = {
    val onlyForS3 = ofS3.filter(_.endsWith(Store))
    if (settings.keys.exists(key => Secrets.exists(key.startsWith))) Common +: onlyForS3
    else if (settings.contains(Common)) onlyForS3
    else Nil
  }

  private def keysOf(conf: Configuration, prefix: String): Seq[String] =
    conf.getPropsWithPrefix(prefix).asScala.keys.map(prefix + _).toSeq

  private val FileSystems = "fs."
  private val S3 = S3Keys.Prefix
  private val OfBucket = "fs.s3a.bucket."
  private val Store = "security.credential.provider.path"
  private val Common = s"hadoop.$Store"

  private val Secrets =
    Seq("fs.s3a.access.key", "fs.s3a.secret.key", "fs.s3a.session.token", "fs.azure.account.key")
}
