package ducklake.spark.changes

import ducklake.catalog.model.SnapshotRange
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** The change feed of a table as a table.
  *
  * @param at the table whose columns are shown, at the snapshot at which the feed ends by default
  * @param range the snapshots of the feed; None: the read options name them
  */
final class ChangeFeedTable(
    tableName: String,
    val at: TableAtSnapshot,
    val kind: FeedKind,
    val range: Option[SnapshotRange],
) extends Table
    with SupportsRead
    with SupportsMetadataColumns {

  override def name(): String = tableName

  override def columns(): Array[Column] = new FeedColumns(at, kind).asSpark

  override def metadataColumns(): Array[MetadataColumn] = new FeedColumns(at, kind).hidden

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = onDriver {
    val snapshots = range.getOrElse(FeedOptions.range(at, options))
    new ChangeFeedScanBuilder(at, kind, snapshots)
  }
}
