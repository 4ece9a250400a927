package ducklake.files.store

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.RawLocalFileSystem
import org.apache.hadoop.security.UserGroupInformation
import org.scalatest.funsuite.AnyFunSuite

import java.net.URI
import java.security.PrivilegedAction

/** A file system for `s3a:` addresses that knows with which settings it was made. */
final class StandInFileSystem extends RawLocalFileSystem {
  var name: URI = _
  var isOpen = false

  override def initialize(name: URI, conf: Configuration): Unit = {
    setConf(conf)
    this.name = name
    isOpen = true
  }

  override def getUri: URI = Option(name).getOrElse(super.getUri)

  override def close(): Unit = isOpen = false
}

/** File systems of catalogs with settings of their own. */
final class CatalogFileSystemSpec extends AnyFunSuite {

  private val file = new Path("s3a://bucket/x.parquet")

  private def plain: Configuration = {
    val conf = new Configuration
    conf.set("fs.s3a.impl", classOf[StandInFileSystem].getName)
    conf
  }

  private def opened(settings: (String, String)*): FileSystem = openedIn(Map.empty)(settings*)

  /** In a session with settings of its own. */
  private def openedIn(session: Map[String, String])(settings: (String, String)*): FileSystem = {
    val conf = plain
    session.foreach { case (key, value) => conf.set(key, value) }
    file.getFileSystem(CatalogFileSystem.scope(conf, settings.toMap))
  }

  private def behind(system: FileSystem): StandInFileSystem =
    system match {
      case own: CatalogFileSystem =>
        own.getRawFileSystem match {
          case found: StandInFileSystem => found
          case other => fail(other.toString)
        }
      case other => fail(other.toString)
    }

  test("two catalogs open one bucket with their own settings, and a third with the session's") {
    val one = behind(opened("fs.s3a.access.key" -> "one"))
    val two = behind(opened("fs.s3a.access.key" -> "two"))

    assert(one.getConf.get("fs.s3a.access.key") == "one")
    assert(two.getConf.get("fs.s3a.access.key") == "two")
    assert(behind(opened()).getConf.get("fs.s3a.access.key") == null)
  }

  test("catalogs with the same settings share a file system, which outlives each use") {
    val first = opened("fs.s3a.access.key" -> "same")
    val shared = behind(first)
    first.close()

    assert(behind(opened("fs.s3a.access.key" -> "same")) eq shared)
    assert(shared.isOpen)
  }

  test("two sessions with settings of their own share no file system") {
    val one = behind(openedIn(Map("fs.s3a.access.key" -> "one"))())
    val two = behind(openedIn(Map("fs.s3a.access.key" -> "two"))())
    val region = "fs.s3a.endpoint.region" -> "eu"
    val three = behind(openedIn(Map("fs.s3a.access.key" -> "one"))(region))
    val four = behind(openedIn(Map("fs.s3a.access.key" -> "two"))(region))

    val keys = Seq(one, two, three, four).map(_.getConf.get("fs.s3a.access.key"))
    assert(keys == Seq("one", "two", "one", "two"))
  }

  test("what a session says about one bucket yields to what the catalog says") {
    val session = Map(
      "fs.s3a.bucket.bucket.access.key" -> "theirs",
      "fs.s3a.bucket.bucket.endpoint" -> "http://there",
    )
    val conf = behind(openedIn(session)("fs.s3a.access.key" -> "ours")).getConf

    assert(conf.get("fs.s3a.bucket.bucket.access.key") == null)
    assert(conf.get("fs.s3a.bucket.bucket.endpoint") == "http://there")
  }

  test("a catalog that gives its secret itself does not take the session's store of secrets") {
    val store = "hadoop.security.credential.provider.path"
    val session = Map(store -> "localjceks://file/theirs")

    assert(behind(openedIn(session)("fs.s3a.secret.key" -> "ours")).getConf.get(store) == null)
    val region = behind(openedIn(session)("fs.s3a.endpoint.region" -> "eu")).getConf
    assert(region.get(store) == "localjceks://file/theirs")
    val own = behind(openedIn(session)("fs.s3a.secret.key" -> "ours", store -> "localjceks://own"))
    assert(own.getConf.get(store) == "localjceks://own")
  }

  test("a configuration that was changed already keeps what stands behind it") {
    val once = CatalogFileSystem.scope(plain, Map("fs.s3a.access.key" -> "one"))
    val twice = CatalogFileSystem.scope(once, Map("fs.s3a.access.key" -> "two"))

    val found = behind(file.getFileSystem(twice))
    assert(found.getConf.get("fs.s3a.access.key") == "two")
  }

  test("of very many file systems none is closed that may be in use") {
    val first = behind(opened("fs.s3a.access.key" -> "first"))
    (1 to 64).foreach(number => behind(opened("fs.s3a.access.key" -> s"later$number")))

    assert(first.isOpen)
  }

  private def as[A](user: UserGroupInformation)(body: => A): A =
    user.doAs(new PrivilegedAction[A] { override def run(): A = body })

  test("a file system that Hadoop closes with a session of its user is made again") {
    val session = UserGroupInformation.createRemoteUser("ann")
    def asked(): StandInFileSystem = as(session)(behind(opened("fs.s3a.access.key" -> "closed")))
    val first = asked()

    FileSystem.closeAllForUGI(session)
    val second = asked()

    assert(!first.isOpen && second.isOpen)
    assert(asked() eq second)
  }

  test("two users of one name, such as two sessions of a server, share no file system") {
    val one = UserGroupInformation.createRemoteUser("bob")
    val two = UserGroupInformation.createRemoteUser("bob")
    def asked(user: UserGroupInformation): StandInFileSystem =
      as(user)(behind(opened("fs.s3a.access.key" -> "users")))
    val (ofOne, ofTwo) = (asked(one), asked(two))

    FileSystem.closeAllForUGI(one)

    assert(!ofOne.isOpen && ofTwo.isOpen)
    assert(asked(two) eq ofTwo)
  }

  test("S3 is read with few requests, unless the session or the catalog says how") {
    def read(of: FileSystem): Seq[String] =
      Seq("input.stream.type", "vectored.read.min.seek.size", "vectored.read.max.merged.size")
        .map(key => of.getConf.get(s"fs.s3a.$key"))
    val session = Map(
      "fs.s3a.vectored.read.min.seek.size" -> "64K",
      "fs.s3a.vectored.read.max.merged.size" -> "2M", // Spark does so by itself
    )
    val ofCatalog = Map(
      "fs.s3a.input.stream.type" -> "analytics",
      "fs.s3a.vectored.read.max.merged.size" -> "2M",
    )

    assert(read(behind(opened())) == Seq("classic", "1M", "8M"))
    assert(read(behind(opened(ofCatalog.toSeq*))) == Seq("analytics", "1M", "2M"))
    assert(read(behind(openedIn(session)())) == Seq("classic", "64K", "8M"))
  }

  test("a catalog without settings shares the file systems of other stores with Spark") {
    val conf = CatalogFileSystem.scope(plain, Map.empty)

    assert(conf.get("fs.gs.impl") == plain.get("fs.gs.impl"))
    assert(!conf.getBoolean("fs.gs.impl.disable.cache", false))
  }

  test("settings are named by a digest that does not tell them") {
    val conf = CatalogFileSystem.scope(plain, Map("fs.s3a.secret.key" -> "hush"))

    assert(conf.get("ducklake.catalog.scope").matches("[0-9a-f]{64}"))
  }
}
