package ducklake.files.foreign

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.hadoop.conf.Configuration
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

final class FileSearchSpec extends AnyFunSuite with BeforeAndAfterAll {
  private val search = new FileSearch(new Configuration)
  private lazy val root: Path = Files.createTempDirectory("search").toRealPath()

  override def beforeAll(): Unit =
    (Vector("a/x", "b/sub/x", "b/sub/deep/x", "c/sub/x") ++ Hidden).foreach { name =>
      val file = root.resolve(s"$name.parquet")
      Files.createDirectories(file.getParent)
      Files.write(file, Array.emptyByteArray)
    }

  private val Hidden = Vector("a/_temporary/x", "b/sub/.trash/deep/x", "c/_x", "c/.x")

  private def found(pattern: String): Vector[String] =
    search.files(s"$root/$pattern", "t").map(_.stripPrefix(s"$root/").stripSuffix(".parquet"))

  private def refusal(pattern: String): String =
    intercept[LakeException](search.files(pattern, "t")).error match {
      case LakeError.CannotAddFile(_, _, why, _) => why
      case other => fail(s"unexpected error $other")
    }

  // Source: DuckDB 1.5.5, observed.
  test("two stars stand for folders of any depth") {
    val all = Vector("a/x", "b/sub/deep/x", "b/sub/x", "c/sub/x")
    assert(found("**/sub/*.parquet") == Vector("b/sub/x", "c/sub/x"))
    assert(found("**/x.parquet") == all)
    assert(found("b/**/deep/*.parquet") == Vector("b/sub/deep/x"))
    assert(found("*/sub/**/x.parquet") == all.tail)
    assert(found("**/*ub/*") == Vector("b/sub/x", "c/sub/x"))
    assert(found("b/**") == Vector("b/sub/deep/x", "b/sub/x"))
    assert(found("**") == all)
  }

  test("hidden files and folders are left out, but not the folders of keys") {
    val seen = Files.createTempDirectory("_seen").toRealPath()
    Files.write(
      Files.createDirectories(seen.resolve("_k=1")).resolve("x.parquet"),
      Array.emptyByteArray,
    )
    assert(found("") == Vector("a/x", "b/sub/deep/x", "b/sub/x", "c/sub/x"))
    assert(search.files(s"$seen", "t") == Vector(s"$seen/_k=1/x.parquet"))
  }

  test("the names behind two stars are below the folder before them") {
    assert(refusal(s"$root/b/**/b/sub/x.parquet") == "matches no file")
    assert(refusal(s"$root/a/**/a/x.parquet") == "matches no file")
  }

  test("a file that is found has the start of the address that it was searched by") {
    Seq(
      "az://acme.blob.core.usgovcloudapi.net/box/a" -> "az://acme.blob.core.usgovcloudapi.net/box",
      "abfss://box@acme.dfs.core.windows.net/a" -> "abfss://box@acme.dfs.core.windows.net",
      "s3a://box/a" -> "s3://box",
      "file:///a" -> "",
    ).foreach { case (pattern, start) => assert(FileSearch.start(pattern) == start) }
  }

  test("a text that names nothing is refused") {
    assert(refusal("") == "is empty")
    assert(refusal(s"$root/**/sub/**") == "has `**` twice")
    assert(refusal(s"$root/nothing/*") == "matches no file")
  }
}
