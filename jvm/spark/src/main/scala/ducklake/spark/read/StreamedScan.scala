package ducklake.spark.read

import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.SupportsReportStatistics
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

import java.util.OptionalLong

/** A scan that Spark reads once, as a batch, or again and again, as a stream. Spark chooses only
  * after it has made the scan.
  */
abstract class StreamedScan extends Scan with SupportsReportStatistics {

  /** Opens the stream with a checkpoint at a place. The table provides it, because streams are a
    * layer above scans. None: the scan is only read as a batch.
    */
  protected def stream: Option[String => MicroBatchStream]

  protected def batchDescription: String

  protected def batchStatistics: Statistics

  // Set immediately after Spark has made the scan of a stream.
  @volatile private var opened: Option[MicroBatchStream] = None

  /** Whether Spark has not opened the scan as a stream. Each stream is a separate source. */
  protected def isBatch: Boolean = opened.isEmpty

  final override def toMicroBatchStream(checkpoint: String): MicroBatchStream =
    stream match {
      case None => super.toMicroBatchStream(checkpoint)
      case Some(open) =>
        val found = onDriver(open(checkpoint))
        opened = Some(found)
        found
    }

  /** The text that EXPLAIN and the UI show. */
  final override def description(): String = opened.fold(onDriver(batchDescription))(_.toString)

  final override def estimateStatistics(): Statistics =
    opened.fold(onDriver(batchStatistics))(_ => StreamedScan.Unknown)
}

private object StreamedScan {

  /** A stream has no end, and so no size. */
  private val Unknown: Statistics = new Statistics {
    override def numRows(): OptionalLong = OptionalLong.empty()
    override def sizeInBytes(): OptionalLong = OptionalLong.empty()
  }
}
