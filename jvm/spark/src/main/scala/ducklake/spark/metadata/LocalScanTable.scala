package ducklake.spark.metadata

import ducklake.spark.config.AddressOptions
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.sparkapi.catalog.ColumnTable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.connector.read.SupportsReportStatistics
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.jdk.CollectionConverters.MapHasAsScala

/** A small table with rows from the catalog database. It is read on the driver, without a Spark
  * job.
  */
final class LocalScanTable(tableName: String, result: LocalResult)
    extends ColumnTable
    with SupportsRead {

  /** See [[LocalResult]]. */
  def hasPast: Boolean = result.hasPast

  override def name(): String = tableName

  override def columns(): Array[Column] =
    result.schema.fields.map(f => Column.create(f.name, f.dataType, f.nullable))

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = {
    val own = AddressOptions.without(tableName, options).asCaseSensitiveMap()
    onDriver(StatementOptions.checkReadOfMetadata(own.asScala.keys))
    result.scanBuilder(tableName)
  }
}

private final class LocalScanBuilder(tableName: String, result: LocalResult)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns {

  // Spark sets the columns that it needs once, then builds the scan.
  private var required: StructType = result.schema

  override def pruneColumns(schema: StructType): Unit = required = schema

  override def build(): Scan = new LocalResultScan(tableName, result.project(required))
}

/** Rows that are computed on the driver.
  *
  * @param rows evaluated when the scan runs; they need not be in memory at once
  * @param hasPast whether the rows depend on the snapshot that is read; otherwise they show the
  *   present state
  */
class LocalResult(
    val schema: StructType,
    val rows: () => Iterable[Vector[Any]],
    val hasPast: Boolean = true,
) {

  /** The builder of scans of a table with these rows. */
  def scanBuilder(tableName: String): ScanBuilder = new LocalScanBuilder(tableName, this)

  /** A row in Spark's internal form. */
  protected[metadata] def internal(row: Vector[Any]): InternalRow = CellValues.toRow(row)

  def project(required: StructType): LocalResult =
    if (required == schema) this
    else {
      val indexes = required.fieldNames.toVector.map(schema.fieldIndex)
      new LocalResult(required, () => rows().map(row => indexes.map(row)), hasPast)
    }
}

/** A scan whose rows are computed on the driver. */
final class LocalResultScan(name: String, result: LocalResult)
    extends LocalScan
    with SupportsReportStatistics {

  private lazy val found: Array[InternalRow] =
    onDriver(result.rows().iterator.map(result.internal).toArray)

  override def readSchema(): StructType = result.schema

  override def rows(): Array[InternalRow] = found

  /** Spark would treat a scan without statistics as endless, and not broadcast its rows. */
  override def estimateStatistics(): Statistics =
    ScanSize.ofRows(found.length.toLong, result.schema)

  override def description(): String = name
}
