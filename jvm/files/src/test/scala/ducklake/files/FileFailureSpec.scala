package ducklake.files

import ducklake.catalog.error.LakeException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

/** What goes wrong with files, as errors with a condition. */
final class FileFailureSpec extends AnyFunSuite {

  private def opened(path: String): Unit =
    new Path(path).getFileSystem(new Configuration()).exists(new Path(path)): Unit

  private val absent = Seq(
    ("s3a://bucket/x.parquet", "org.apache.hadoop:hadoop-aws:"),
    ("gs://bucket/x.parquet", "gcs-connector"),
    ("abfss://c@a.dfs.core.windows.net/x.parquet", "org.apache.hadoop:hadoop-azure:"),
  )

  absent.foreach { case (path, jar) =>
    test(s"a path of ${path.takeWhile(_ != ':')} names the jar that is missing") {
      val failures = Seq(
        intercept[LakeException](FileFailure.naming(path, "main.t")(opened(path))),
        intercept[LakeException](FileFailure.writing(path, "main.t")(opened(path))),
      )

      failures.foreach { failure =>
        assert(failure.error.condition == "DUCKLAKE_UNSUPPORTED_PATH")
        assert(failure.error.parameters("path") == path)
        assert(failure.error.message.contains(jar))
      }
    }
  }

  test("a folder in the place of a file cannot be written") {
    val folder = java.nio.file.Files.createTempDirectory("folder").toString
    val conf = new Configuration()

    val failure = intercept[LakeException](FileFailure.writing(folder, "main.t") {
      new Path(folder).getFileSystem(conf).create(new Path(folder), true).close()
    })

    assert(failure.error.condition == "DUCKLAKE_UNWRITABLE_FILE")
  }
}
