package ducklake.spark.metadata

import ducklake.spark.config.AddressOptions
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.sparkapi.catalog.ColumnTable
import ducklake.spark.sparkapi.task.RowCopies
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.SupportsPushDownLimit
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.connector.read.SupportsReportStatistics
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.collection.View
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
    with SupportsPushDownLimit
    with SupportsPushDownRequiredColumns {

  // Spark sets what it needs once, then builds the scan.
  private var required: StructType = result.schema
  private var limit = Option.empty[Int]

  override def pruneColumns(schema: StructType): Unit = required = schema

  override def pushLimit(limit: Int): Boolean = {
    this.limit = Some(limit)
    true
  }

  override def build(): Scan = {
    val projected = result.project(required)
    new LocalResultScan(tableName, limit.fold(projected)(projected.limited))
  }
}

/** Rows that are computed on the driver.
  *
  * @param rows evaluated when the scan runs; they need not be in memory at once
  * @param hasPast whether the rows depend on the snapshot that is read; otherwise they show the
  *   present state
  * @param count the number of rows, where it is known without them
  */
class LocalResult(
    val schema: StructType,
    val rows: () => Iterable[Vector[Any]],
    val hasPast: Boolean = true,
    val count: Option[() => Long] = None,
) {

  /** The builder of scans of a table with these rows. */
  def scanBuilder(tableName: String): ScanBuilder = new LocalScanBuilder(tableName, this)

  def project(required: StructType): LocalResult =
    if (required == schema) this
    else {
      val indexes = required.fieldNames.toVector.map(schema.fieldIndex)
      new LocalResult(required, () => rows().map(row => indexes.map(row)), hasPast, count)
    }

  /** The first rows, this many at most. */
  def limited(most: Int): LocalResult =
    new LocalResult(
      schema,
      () => View.fromIteratorProvider(() => rows().iterator.take(most)),
      hasPast,
      count.map(all => () => all().min(most.toLong)),
    )
}

/** A scan whose rows are computed on the driver. Spark wants all rows at once: they are made one by
  * one, and kept in its packed form.
  */
final class LocalResultScan(name: String, result: LocalResult)
    extends LocalScan
    with SupportsReportStatistics {

  private lazy val found: Array[InternalRow] =
    onDriver {
      val packed = new RowCopies(result.schema)
      result.rows().iterator.map(row => packed.of(CellValues.toRow(row))).toArray
    }

  private lazy val count: Long = onDriver(result.count.fold(found.length.toLong)(_()))

  override def readSchema(): StructType = result.schema

  override def rows(): Array[InternalRow] = found

  /** Spark would treat a scan without statistics as endless, and not broadcast its rows. */
  override def estimateStatistics(): Statistics =
    ScanSize.ofRows(count, result.schema)

  override def description(): String = name
}
