package ducklake.spark.sparkapi.task

import ducklake.spark.testkit.LocalSpark
import org.apache.spark.SparkException
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.Seconds
import org.scalatest.time.Span

import scala.concurrent.duration.DurationInt

/** The time that jobs get. */
final class BoundedJobsSpec extends AnyFunSuite with LocalSpark with Eventually {

  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds))

  test("a job that begins after the end is cancelled too") {
    val numbers = session.sparkContext.parallelize(Seq(1), 1)
    val jobs = new BoundedJobs(1.milli)

    val failure = intercept[SparkException](jobs.run {
      eventually(assert(jobs.areOver))
      numbers.foreach(_ => Thread.sleep(60000L))
    })

    assert(failure.getCondition == "SPARK_JOB_CANCELLED")
  }

  test("jobs that begin afterwards go on") {
    val numbers = session.sparkContext.parallelize(Seq(1, 2), 2)
    val jobs = new BoundedJobs(1.milli)

    jobs.run(eventually(assert(jobs.areOver)): Unit)

    assert(numbers.count() == 2)
  }
}
