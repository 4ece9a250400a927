package ducklake.spark.changes

import ducklake.catalog.model.SnapshotRange
import ducklake.spark.config.AddressOptions
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.catalog.ColumnTable
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** The change feed of a table as a table.
  *
  * @param at the table whose columns are shown, at the snapshot at which the feed ends by default
  * @param range the snapshots of the feed for read options, when it is read as a batch
  * @param stream opens the stream of the feed for read options and the place of a checkpoint; None:
  *   it is only read as a batch
  */
final class ChangeFeedTable(
    tableName: String,
    val at: TableAtSnapshot,
    val kind: FeedKind,
    val range: CaseInsensitiveStringMap => SnapshotRange,
    stream: Option[(CaseInsensitiveStringMap, String) => MicroBatchStream] = None,
) extends ColumnTable
    with SupportsRead
    with SupportsMetadataColumns {

  override def name(): String = tableName

  override def columns(): Array[Column] = new FeedColumns(at, kind).asSpark

  override def metadataColumns(): Array[MetadataColumn] = new FeedColumns(at, kind).hidden

  override def capabilities(): util.Set[TableCapability] =
    if (stream.isEmpty) util.EnumSet.of(TableCapability.BATCH_READ)
    else util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ)

  /** The options are read when Spark reads a batch or opens a stream: each takes other options. */
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = {
    val own = AddressOptions.without(tableName, options)
    new ChangeFeedScanBuilder(at, kind, () => range(own), stream.map(open => open(own, _)))
  }
}
