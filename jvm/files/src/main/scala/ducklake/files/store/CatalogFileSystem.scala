package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.BulkDelete
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.FilterFileSystem
import org.apache.hadoop.fs.LocatedFileStatus
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RemoteIterator
import org.apache.hadoop.security.UserGroupInformation

import java.net.URI

/** The file system of a catalog, with the settings that its files need.
  *
  * Hadoop keeps one file system for each bucket in a cache that ignores settings: the first catalog
  * that opens a bucket would decide the credentials of all. So catalogs open their files with this
  * class, outside of that cache. It finds the file system of its settings and forwards all calls to
  * it. Tasks do the same, because the settings name the class (decision 18).
  */
final class CatalogFileSystem extends FilterFileSystem {

  override def initialize(name: URI, conf: Configuration): Unit =
    fs = CatalogFileSystem.shared(name, conf)

  override def createBulkDelete(path: Path): BulkDelete = fs.createBulkDelete(path)

  /** Hadoop's class would list each folder separately. */
  override def listFiles(path: Path, recursive: Boolean): RemoteIterator[LocatedFileStatus] =
    fs.listFiles(path, recursive)

  /** Other callers share the file system behind it, so it stays open. */
  override def close(): Unit = ()
}

object CatalogFileSystem {

  /** Hadoop's schemes of files that are not local. */
  private val schemes =
    Seq("s3a", "gs", "abfs", "abfss", "wasb", "wasbs", "hdfs", "viewfs", "oss", "cosn") ++ web

  /** Hadoop has file systems for these schemes, but they cannot read from the middle of a file. */
  private def web = Seq("http", "https")

  private def always = "s3a" +: web

  private val ScopeKey = "ducklake.catalog.scope"
  private val Prefix = "ducklake.catalog.behind."

  /** Changes the configuration so that it opens files with these settings. Only catalogs with the
    * same settings in force (of the session and their own) share its file systems. Without their
    * own settings, catalogs use Spark's file systems except for S3 and HTTP. A configuration that
    * was changed before keeps its replaced file systems.
    */
  def scope(conf: Configuration, settings: Map[String, String]): Configuration = {
    OwnSettings.layOver(conf, settings)
    S3Reading.choose(conf, settings)
    conf.set(ScopeKey, OwnSettings.digest(conf, settings))
    (if (settings.isEmpty) always else schemes).filterNot(isScoped(conf, _)).foreach { scheme =>
      Option(conf.get(implementation(scheme))).foreach(conf.set(Prefix + scheme, _))
      conf.set(implementation(scheme), classOf[CatalogFileSystem].getName)
      conf.setBoolean(withoutCache(scheme), true)
    }
    conf
  }

  private def implementation(scheme: String): String = s"fs.$scheme.impl"

  private def withoutCache(scheme: String): String = s"fs.$scheme.impl.disable.cache"

  private def isScoped(conf: Configuration, scheme: String): Boolean =
    conf.get(implementation(scheme)) == classOf[CatalogFileSystem].getName

  /** The identity under which files are opened: the file system settings in force, and the user.
    * Users are distinguished as in Hadoop's cache: two users of one name may have different tokens.
    */
  final case class Access(scope: Option[String], user: UserGroupInformation)

  /** The access that this configuration gives to the current user. */
  def access(conf: Configuration): Access =
    Access(Option(conf.get(ScopeKey)), UserGroupInformation.getCurrentUser)

  private final case class Place(access: Access, scheme: String, authority: String)

  private val open = new OpenFileSystems[Place](() => System.nanoTime())

  private def shared(name: URI, conf: Configuration): FileSystem = {
    val place = Place(
      access(conf),
      name.getScheme,
      Option(name.getAuthority).getOrElse(""),
    )
    open.of(place)(made(name, conf)).getRawFileSystem
  }

  private def made(name: URI, conf: Configuration): SharedFileSystem = {
    val own = new Configuration(conf)
    own.set(implementation(name.getScheme), classOf[SharedFileSystem].getName)
    FileSystem.newInstance(name, own) match {
      case shared: SharedFileSystem => shared
      case other => throw new IllegalStateException(s"unexpected file system ${other.getClass}")
    }
  }

  /** The configuration with the file systems that [[scope]] has replaced, and without Hadoop's
    * cache for the scheme.
    */
  private[store] def behind(scheme: String, conf: Configuration): Configuration = {
    val own = new Configuration(conf)
    schemes.filter(other => other == scheme || isScoped(conf, other)).foreach { each =>
      Option(conf.get(Prefix + each)) match {
        case Some(name) => own.set(implementation(each), name)
        case None if web.contains(each) =>
          own.set(implementation(each), classOf[HttpFileSystem].getName)
        case None => own.unset(implementation(each))
      }
      if (each != scheme) own.unset(withoutCache(each))
    }
    own.setBoolean(withoutCache(scheme), true)
    own
  }
}
