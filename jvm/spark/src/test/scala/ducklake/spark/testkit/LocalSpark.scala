package ducklake.spark.testkit

import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerTaskEnd
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ducklake.Drained
import org.scalatest.BeforeAndAfterAll
import org.scalatest.Suite

import java.util.concurrent.atomic.AtomicInteger

/** A Spark session for the tests of a suite. */
trait LocalSpark extends BeforeAndAfterAll { this: Suite =>

  protected lazy val session: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "OFF")
    .getOrCreate()

  override protected def afterAll(): Unit = session.stop()

  /** The number of tasks that `body` has run. */
  protected def tasksOf(body: => Unit): Int = {
    val ended = new AtomicInteger
    val counter = new SparkListener {
      override def onTaskEnd(task: SparkListenerTaskEnd): Unit = ended.incrementAndGet(): Unit
    }
    Drained(session)
    session.sparkContext.addSparkListener(counter)
    body
    Drained(session)
    session.sparkContext.removeSparkListener(counter)
    ended.get
  }
}
