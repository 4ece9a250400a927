package ducklake.spark.job

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.SparkErrors.ofTasks
import ducklake.spark.testkit.LocalSpark
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.util.concurrent.CountDownLatch

/** What holds for every job that the connector starts. */
final class LakeJobSpec extends AnyFunSuite with LocalSpark {

  private def newJob: LakeJob =
    new LakeJob(session.sparkContext, "Testing", "tested", new Configuration(false))

  test("results come in the order of their inputs") {
    val job = newJob

    val numbers = job.collect(job.oneEach(Vector(0, 1))) { (some, _) =>
      val number = some.next()
      if (number == 0) LakeJobSpec.hasOther.await() else LakeJobSpec.hasOther.countDown()
      number
    }

    assert(numbers == Vector(0, 1))
  }

  test("inputs are divided among few tasks for each core") {
    val job = newJob

    assert(job.divided(Vector.range(0, 1000), 1).getNumPartitions == 8)
    assert(job.divided(Vector.range(0, 1000), 300).getNumPartitions == 3)
    assert(job.divided(Vector.range(0, 10), 300).getNumPartitions == 1)
  }

  test("our error in a task is found behind Spark's exception") {
    val job = newJob
    val error = LakeError.UnsupportedPath("a", "why", "hint")
    val read = (some: Iterator[Int], _: Configuration) =>
      if (some.next() == 1) throw new LakeException(error) else 0

    val failure = intercept[LakeException](ofTasks(job.collect(job.oneEach(Vector(1)))(read)))

    assert(failure.error == error)
  }
}

private object LakeJobSpec {
  val hasOther = new CountDownLatch(1)
}
