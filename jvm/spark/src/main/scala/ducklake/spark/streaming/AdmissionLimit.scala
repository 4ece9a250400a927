package ducklake.spark.streaming

import org.apache.spark.sql.connector.read.streaming.CompositeReadLimit
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.apache.spark.sql.connector.read.streaming.ReadMaxBytes
import org.apache.spark.sql.connector.read.streaming.ReadMaxFiles
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows

/** The approximate size of rows.
  *
  * @param files the data files that are opened for them; inlined rows of a snapshot count as one
  *   more file
  * @param bytes of files as on disk, of inlined rows as Spark estimates their width
  */
private[streaming] final case class RowsSize(files: Long, rows: Long, bytes: Long) {

  def +(other: RowsSize): RowsSize =
    RowsSize(files + other.files, rows + other.rows, bytes + other.bytes)
}

/** The most that one batch of a stream reads. A batch exceeds the limit when its first file, or its
  * first snapshot where snapshots are not divided, does. None: no limit.
  */
private[streaming] final case class AdmissionLimit(
    files: Option[Int],
    rows: Option[Long],
    bytes: Option[Long],
) {

  def isNone: Boolean = files.isEmpty && rows.isEmpty && bytes.isEmpty

  def isExceededBy(size: RowsSize): Boolean =
    files.exists(_ < size.files) || rows.exists(_ < size.rows) || bytes.exists(_ < size.bytes)

  /** The index of the first of these parts that does not fit into a batch with all before it; None
    * when all fit. The first one always fits.
    */
  def firstOver(parts: Vector[RowsSize]): Option[Int] = {
    val sums = parts.scanLeft(RowsSize(0, 0, 0))(_ + _).drop(1)
    Some(sums.indexWhere(isExceededBy, from = 1)).filter(_ > 0)
  }

  /** The limit in the form in which Spark passes it with each batch. */
  def asSpark: ReadLimit = {
    val limits = files.map(ReadLimit.maxFiles) ++ rows.map(ReadLimit.maxRows) ++
      bytes.map(ReadLimit.maxBytes)
    limits.toVector match {
      case Vector() => ReadLimit.allAvailable()
      case Vector(only) => only
      case several => ReadLimit.compositeLimit(several.toArray)
    }
  }
}

private[streaming] object AdmissionLimit {
  val none: AdmissionLimit = AdmissionLimit(None, None, None)

  /** The limit that Spark passes with a batch; `Trigger.Once` passes none. */
  def of(limit: ReadLimit): AdmissionLimit = limit match {
    case files: ReadMaxFiles => none.copy(files = Some(files.maxFiles()))
    case rows: ReadMaxRows => none.copy(rows = Some(rows.maxRows()))
    case bytes: ReadMaxBytes => none.copy(bytes = Some(bytes.maxBytes()))
    case several: CompositeReadLimit =>
      several.getReadLimits.map(of).foldLeft(none) { (left, right) =>
        AdmissionLimit(
          left.files.orElse(right.files),
          left.rows.orElse(right.rows),
          left.bytes.orElse(right.bytes),
        )
      }
    case _ => none
  }
}
