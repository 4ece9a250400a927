package ducklake.files.foreign

import ducklake.catalog.listing.OtherLake
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

class OtherLakesSpec extends AnyFunSuite {

  private val account = "az://account.blob.core.windows.net/box"

  private def lakes(dataPath: String, theirs: String): OtherLakes =
    new OtherLakes(
      new Configuration(false),
      dataPath,
      Vector(OtherLake("other", theirs)),
    )

  private def isShared(dataPath: String, theirs: String): Boolean =
    lakes(dataPath, theirs).sharing(Vector(s"${dataPath}main/")).nonEmpty

  test("a lake below our folders shares them, and one beside them does not") {
    assert(isShared("s3://box/a/", "s3a://box/a/main/b/"))
    assert(isShared("s3://box/a/", "s3://box/a/"))
    assert(!isShared("s3://box/a/", "s3://box/b/"))
  }

  test("a lake whose data path names no account may share a container of any account") {
    assert(isShared(s"$account/a/", "az://box/a/"))
    assert(isShared(s"$account/a/", "azure://box/a/main/b/"))
    assert(!isShared(s"$account/a/", "az://box/b/"))
    assert(!isShared(s"$account/a/", "az://other/a/"))
  }

  test("files in the container of a lake that names no account are that lake's") {
    val others = lakes("s3://box/a/", "az://box/a/")

    assert(others.owner(Vector(s"$account/a/main/t/x.parquet")).nonEmpty)
    assert(others.owner(Vector(s"$account/b/main/t/x.parquet")).isEmpty)
  }
}
