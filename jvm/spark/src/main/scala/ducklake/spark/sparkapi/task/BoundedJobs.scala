package ducklake.spark.sparkapi.task

import org.apache.spark.sql.classic.SparkSession

import java.util.UUID
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

import scala.concurrent.duration.FiniteDuration

/** Runs jobs of this thread, and cancels them when a time is over; jobs that begin later, too. */
private[spark] final class BoundedJobs(most: FiniteDuration) {

  private val tag = s"ducklake-bounded-${UUID.randomUUID()}"

  @volatile private var isOver = false

  /** Whether the time was over before the jobs ended. */
  def areOver: Boolean = isOver

  /** Errors: those of `body`; of Spark for a cancelled job. */
  def run(body: => Unit): Unit = {
    val spark = SparkSession.active.sparkContext
    val clock = Executors.newSingleThreadScheduledExecutor { task =>
      val thread = new Thread(task, tag)
      thread.setDaemon(true)
      thread
    }
    val end: Runnable = () => {
      isOver = true
      spark.cancelJobsWithTag(tag)
    }
    spark.addJobTag(tag)
    try {
      clock.scheduleWithFixedDelay(
        end,
        most.toMillis,
        BoundedJobs.AgainMillis,
        TimeUnit.MILLISECONDS,
      ): Unit
      body
    } finally {
      spark.removeJobTag(tag)
      clock.shutdownNow(): Unit
    }
  }
}

private object BoundedJobs {

  /** How soon a job ends that begins after the time. */
  val AgainMillis = 200L
}
