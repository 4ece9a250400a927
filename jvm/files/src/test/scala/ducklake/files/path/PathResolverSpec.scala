package ducklake.files.path

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.files.path.PathResolver.hadoopPath
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class PathResolverSpec extends AnyFunSuite {

  test("object store schemes become the ones that Hadoop knows") {
    assert(hadoopPath("s3://bucket/a/b.parquet") == "s3a://bucket/a/b.parquet")
    assert(hadoopPath("S3://bucket/a") == "s3a://bucket/a")
    assert(hadoopPath("r2://bucket/a") == "s3a://bucket/a")
    assert(hadoopPath("gcs://bucket/a") == "gs://bucket/a")
    assert(hadoopPath("gs://bucket/a") == "gs://bucket/a")
    assert(hadoopPath("https://host/a?b=c") == "https://host/a?b=c")
    assert(hadoopPath("hdfs://node:9000/a") == "hdfs://node:9000/a")
  }

  test("azure addresses need an account") {
    val named = "abfss://box@acme.dfs.core.windows.net/a/b.parquet"

    assert(hadoopPath("az://acme.blob.core.windows.net/box/a/b.parquet") == named)
    assert(hadoopPath("abfss://acme.dfs.core.windows.net/box/a/b.parquet") == named)
    assert(hadoopPath(named) == named)
    val failure = intercept[LakeException](hadoopPath("az://box/a/b.parquet"))
    assert(failure.error.isInstanceOf[LakeError.UnsupportedPath])
    assert(failure.error.parameters("why") == "names a container but no storage account")
    assert(failure.error.message.contains("az://<account>.blob.core.windows.net/<container>/"))
  }

  test("azure addresses keep the host of their cloud") {
    Seq(
      "acme.blob.core.usgovcloudapi.net" -> "acme.dfs.core.usgovcloudapi.net",
      "acme.blob.core.chinacloudapi.cn" -> "acme.dfs.core.chinacloudapi.cn",
      "acme.z01.blob.storage.azure.net" -> "acme.z01.dfs.storage.azure.net",
      "acme.dfs.core.usgovcloudapi.net" -> "acme.dfs.core.usgovcloudapi.net",
      "acme.x" -> "acme.x",
      "ACME.BLOB.core.windows.net" -> "acme.dfs.core.windows.net",
    ).foreach { case (asked, opened) =>
      assert(hadoopPath(s"az://$asked/box/a.blob.b") == s"abfss://box@$opened/a.blob.b")
    }
  }

  test("an unknown scheme is refused by name") {
    val failure = intercept[LakeException](hadoopPath("ftp://host/a"))

    assert(failure.error.condition == "DUCKLAKE_UNSUPPORTED_PATH")
    assert(failure.error.parameters("why").contains("ftp"))
  }

  test("paths without a scheme are local files, absolute ones as they are") {
    assert(hadoopPath("/data/t/f.parquet") == "file:/data/t/f.parquet")
    assert(hadoopPath("file:///data/f.parquet") == "file:/data/f.parquet")
    assert(hadoopPath("file:/data/f.parquet") == "file:/data/f.parquet")
    val here = java.nio.file.Paths.get("").toAbsolutePath
    assert(hadoopPath("data/f.parquet") == s"file:$here/data/f.parquet")
  }

  test("a relative folder keeps the separator at its end, so that names can follow") {
    val here = java.nio.file.Paths.get("").toAbsolutePath
    assert(hadoopPath("data/main/t/") == s"file:$here/data/main/t/")
    assert(hadoopPath("file:data/") == s"file:$here/data/")
  }

  test("a resolved path is resolved to itself") {
    Seq("data/f", "/data/f", "s3://b/f", "gcs://b/f", "az://acme.x/box/f", "https://h/f").foreach {
      path =>
        val once = hadoopPath(path)
        assert(hadoopPath(once) == once, path)
    }
  }

  test("odd characters of a name reach Hadoop unchanged") {
    Seq("a b", "a%20b", "a?b", "a#b", "a:b", "p=x%2Fy", "zażółć", "a+b", "[x]", "{y}").foreach {
      name =>
        val path = new Path(hadoopPath(s"/data/$name/f.parquet"))

        assert(path.toUri.getPath == s"/data/$name/f.parquet", name)
        assert(path.toUri.getScheme == "file", name)
    }
  }
}
