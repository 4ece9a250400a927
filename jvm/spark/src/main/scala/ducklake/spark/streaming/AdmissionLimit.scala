package ducklake.spark.streaming

import ducklake.catalog.types.SnapshotId
import org.apache.spark.sql.connector.read.streaming.CompositeReadLimit
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.apache.spark.sql.connector.read.streaming.ReadMaxFiles
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows

/** The most that one batch of a stream reads. A snapshot is never divided, so a batch exceeds the
  * limit when its first snapshot does. None: no limit.
  */
private[streaming] final case class AdmissionLimit(files: Option[Int], rows: Option[Long]) {

  def isNone: Boolean = files.isEmpty && rows.isEmpty

  /** The first snapshot that does not fit into a batch; None when all fit.
    *
    * @param sizes of the snapshots that changed something, ordered by snapshot
    */
  def firstOver(sizes: Vector[ChangeSize]): Option[SnapshotId] = {
    val fileSums = sizes.scanLeft(0L)(_ + _.files).drop(1)
    val rowSums = sizes.scanLeft(0L)(_ + _.rows).drop(1)
    sizes
      .lazyZip(fileSums)
      .lazyZip(rowSums)
      .map((size, sumOfFiles, sumOfRows) => (size, sumOfFiles, sumOfRows))
      .drop(1)
      .collectFirst {
        case (size, sumOfFiles, sumOfRows)
            if files.exists(_ < sumOfFiles) ||
              rows.exists(_ < sumOfRows) =>
          size.snapshot
      }
  }

  /** The limit in the form in which Spark passes it with each batch. */
  def asSpark: ReadLimit =
    (files.map(ReadLimit.maxFiles) ++ rows.map(ReadLimit.maxRows)).toVector match {
      case Vector() => ReadLimit.allAvailable()
      case Vector(only) => only
      case several => ReadLimit.compositeLimit(several.toArray)
    }
}

private[streaming] object AdmissionLimit {
  val none: AdmissionLimit = AdmissionLimit(None, None)

  /** The limit that Spark passes with a batch; `Trigger.Once` passes none. */
  def of(limit: ReadLimit): AdmissionLimit = limit match {
    case files: ReadMaxFiles => AdmissionLimit(Some(files.maxFiles()), None)
    case rows: ReadMaxRows => AdmissionLimit(None, Some(rows.maxRows()))
    case several: CompositeReadLimit =>
      several.getReadLimits.map(of).foldLeft(none) { (left, right) =>
        AdmissionLimit(left.files.orElse(right.files), left.rows.orElse(right.rows))
      }
    case _ => none
  }
}
