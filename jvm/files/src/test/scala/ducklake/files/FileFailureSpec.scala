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

  private final class UnknownStoreException extends java.io.IOException("bucket: Not Found")

  private val refusals = Seq(
    new UnknownStoreException -> "its bucket does not exist",
    new java.nio.file.AccessDeniedException("s3a://b/x: getFileStatus: 403 InvalidAccessKeyId") ->
      "the store refused access (InvalidAccessKeyId)",
    new java.nio.file.AccessDeniedException("s3a://b/x: open: 403") -> "the store refused access",
    new java.io.IOException("Forbidden (Service: S3, Status Code: 403, Request ID: null)") ->
      "the store refused access",
    new java.io.IOException("403 RequestTimeTooSkewed: The difference is too large") ->
      "the clocks of this machine and of the store differ too much (RequestTimeTooSkewed)",
    new java.net.ConnectException("Connection refused") ->
      "the store could not be reached (Connection refused)",
  )

  refusals.foreach { case (refusal, why) =>
    test(s"of a file in a store it is said that $why, by ${refusal.getMessage.take(12)}") {
      def fails(): Unit = throw new java.io.IOException("while opening", refusal)
      val path = "s3://b/x"

      val reading = intercept[LakeException](FileFailure.naming(path, "main.t")(fails()))
      val writing = intercept[LakeException](FileFailure.writing(path, "main.t")(fails()))

      assert(reading.error.parameters("why") == why)
      assert(writing.error.parameters("why") == why)
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
