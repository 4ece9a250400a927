package ducklake.spark.read

import ducklake.catalog.listing.FileListing
import ducklake.catalog.model.DataFile
import org.apache.spark.sql.connector.metric.CustomTaskMetric

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.AtomicReference

/** Records the driver's work for a scan, for Spark's UI. */
private[read] final class PlanningLog {

  private val nanos = new AtomicLong
  private val depth = ThreadLocal.withInitial[Int](() => 0)
  private val recorded = new AtomicReference[Vector[CustomTaskMetric]](Vector.empty)

  /** Runs `body` and adds its time. Time of nested calls is added once. */
  def timed[A](body: => A): A =
    if (depth.get > 0) body
    else {
      val start = System.nanoTime()
      depth.set(1)
      try body
      finally {
        depth.set(0)
        val _ = nanos.addAndGet(System.nanoTime() - start)
      }
    }

  /** Records how many files were listed and how many of them were pruned. */
  def record(listing: FileListing, kept: Vector[DataFile]): Unit =
    recorded.set(
      Vector(
        new FilesListed().of(listing.listedFiles),
        new BytesListed().of(listing.listedBytes),
        new FilesPruned().of(listing.listedFiles - kept.length),
        new BytesPruned().of(listing.listedBytes - kept.iterator.map(_.sizeBytes).sum),
      )
    )

  def metrics: Array[CustomTaskMetric] = {
    val planning = new PlanningMillis().of(TimeUnit.NANOSECONDS.toMillis(nanos.get))
    (recorded.get :+ planning).toArray
  }
}
