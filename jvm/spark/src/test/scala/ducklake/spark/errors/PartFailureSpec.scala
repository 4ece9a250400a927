package ducklake.spark.errors

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import org.apache.spark.SparkException
import org.scalatest.funsuite.AnyFunSuite

/** Which failures of a table or step let a call go on with the others. */
class PartFailureSpec extends AnyFunSuite {

  private def partOf(failure: Throwable): Option[Throwable] = PartFailure.unapply(failure)

  test("a failure of Spark's or of a library is that of its table, as one of ours is") {
    val lost = new SparkException("Job aborted due to stage failure: executor lost")
    val ours = new LakeException(LakeError.CommitConflict("why"))

    assert(partOf(lost).contains(lost))
    assert(partOf(ours).contains(ours))
    assert(partOf(new RuntimeException("job failed", ours)).contains(ours))
  }

  test("a cancelled job, an interrupt and a broken JVM end the call") {
    val cancelled = new SparkException(
      "SPARK_JOB_CANCELLED",
      Map("jobId" -> "1", "reason" -> "by a person"),
      null,
    )

    assert(partOf(cancelled).isEmpty)
    assert(partOf(new RuntimeException("write failed", cancelled)).isEmpty)
    assert(partOf(new InterruptedException).isEmpty)
    assert(partOf(new OutOfMemoryError).isEmpty)
  }

  test("after an interrupt no failure lets the call go on") {
    Thread.currentThread().interrupt()
    try assert(partOf(new RuntimeException("stopped")).isEmpty)
    finally Thread.interrupted(): Unit
  }
}
