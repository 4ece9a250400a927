package ducklake.files.io

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
    new java.net.SocketTimeoutException("Read timed out") ->
      "the store could not be reached (Read timed out)",
    new org.apache.hadoop.net.ConnectTimeoutException("connect timed out") ->
      "the store could not be reached (connect timed out)",
    new ConnectionPoolTimeoutException ->
      "the store could not be reached (no connection in the pool)",
    new java.io.IOException("s3a://b: FileSystem is closed!") ->
      "its file system was closed in the meantime",
  )

  /** As that of Apache's client. */
  private final class ConnectionPoolTimeoutException
      extends java.io.InterruptedIOException("no connection in the pool")

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

  test("a store that does not answer is no interruption, without a wrapping exception too") {
    def fails(): Unit = throw new java.net.SocketTimeoutException("Read timed out")

    val reading = intercept[LakeException](FileFailure.naming("s3://b/x", "main.t")(fails()))
    val writing = intercept[LakeException](FileFailure.writing("s3://b/x", "main.t")(fails()))

    assert(reading.error.condition == "DUCKLAKE_UNREADABLE_FILE")
    assert(writing.error.condition == "DUCKLAKE_UNWRITABLE_FILE")
  }

  test("an interruption is no failure of the file, whatever wraps it") {
    val interrupt = new java.io.InterruptedIOException("stop")
    Seq(interrupt, new java.io.IOException("while reading", interrupt)).foreach { cause =>
      def fails(): Unit = throw cause

      assert(intercept[Exception](FileFailure.naming("s3://b/x", "main.t")(fails())) eq cause)
      assert(intercept[Exception](FileFailure.writing("s3://b/x", "main.t")(fails())) eq cause)
    }
  }

  private def reading(path: String)(cause: Exception): String =
    intercept[LakeException](FileFailure.naming(path, "main.t")(throw cause)).error
      .parameters("why")

  test("a local file that cannot be opened is not said to be absent") {
    val there = java.nio.file.Files.createTempFile("there", ".parquet").toString
    def notFound(path: String, why: String) = new java.io.FileNotFoundException(s"$path ($why)")

    Seq("Permission denied", "Too many open files").foreach { why =>
      assert(reading(s"file:$there")(notFound(there, why)) == s"it cannot be opened ($why)")
      assert(reading(there)(notFound(there, why)) == s"it cannot be opened ($why)")
    }
    val gone = notFound(s"$there.gone", "No such file or directory")
    assert(reading(s"file:$there.gone")(gone) == "it does not exist")
    assert(reading("s3a://b/x")(notFound("s3a://b/x", "key")) == "it does not exist")
  }

  test("a file that this user may not read is not said to be damaged") {
    val denial = new org.apache.hadoop.security.AccessControlException("user=ann, access=READ")
    val why = "access to it was refused (AccessControlException: user=ann, access=READ)"

    assert(reading("hdfs://node/x")(denial) == why)
  }

  test("the reason of a failure names no package of Java") {
    val behind = new java.io.EOFException("the list ended early")
    val failure = new java.io.IOException(s"java.io.IOException: $behind", behind)

    assert(FileFailure.why(failure) == "EOFException: the list ended early")
    assert(FileFailure.why(new UnknownStoreException) == "its bucket does not exist")
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
