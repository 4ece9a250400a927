package ducklake.spark.read.statistics

import ducklake.catalog.model.DataFile
import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.types.StructType

import java.util.OptionalLong

/** The size of a scan in the unit of Spark's thresholds, for example for broadcast joins.
  *
  * Spark counts its own files by their bytes on disk, which are compressed, multiplied by the share
  * of the read columns in the width of a row. A scan of a lake is therefore never larger than a
  * scan of the same files without a lake, so that Spark chooses the same joins. The rows in memory
  * would be several times larger.
  *
  * Source: ours, decision 28.
  *
  * @param table the schema of the files, all columns
  * @param read the columns of the scan
  */
private[spark] final class ScanSize(table: StructType, read: StructType) {

  private val rowWidth: BigInt = ScanSize.widthOf(read)
  private val tableWidth: BigInt = ScanSize.widthOf(table)

  /** The bytes of a scan.
    *
    * @param fileBytes the bytes on disk of the rows that come from files
    * @param otherRows the number of rows that come from the catalog; nothing compresses them
    */
  def bytes(fileBytes: BigInt, otherRows: Long): Long = {
    val ofFiles = BigDecimal(fileBytes) * SessionSettings.fileCompressionFactor
    val ofColumns = ofFiles.toBigInt * rowWidth.min(tableWidth) / tableWidth
    (ofColumns + rowWidth * otherRows).max(1).min(Long.MaxValue).toLong
  }
}

private[spark] object ScanSize {

  /** The size of a result that is complete on the driver. */
  def ofRows(rows: Long, schema: StructType): Statistics =
    statistics(rows, (widthOf(schema) * rows).max(1).min(Long.MaxValue).toLong)

  def statistics(rows: Long, bytes: Long): Statistics = new Statistics {
    override def numRows(): OptionalLong = OptionalLong.of(rows)
    override def sizeInBytes(): OptionalLong = OptionalLong.of(bytes)
  }

  /** The bytes on disk of some rows of a file. */
  def bytesOf(file: DataFile, rows: Long): BigInt =
    if (rows >= file.recordCount) BigInt(file.sizeBytes)
    else BigInt(file.sizeBytes) * rows / file.recordCount

  /** The width of a row as Spark estimates it: 8 bytes and the widths of the columns. */
  private def widthOf(schema: StructType): BigInt =
    BigInt(8) + schema.map(_.dataType.defaultSize).sum
}
