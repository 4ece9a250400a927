package ducklake.spark.maintenance.rollback

import ducklake.spark.read.DuckLakeScanBuilder
import ducklake.spark.read.MetadataColumns
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.catalog.ColumnTable
import ducklake.spark.types.HiddenNames
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** The rows of a past snapshot with the hidden columns by which they are written again. It equals
  * no other table, so that Spark never answers from its cache.
  */
private[rollback] final class RestoredRowsTable(table: TableAtSnapshot)
    extends ColumnTable
    with SupportsRead {

  override def name(): String = table.name

  override def columns(): Array[catalog.Column] =
    table.columns ++ RestoredRowsTable.hidden.flatMap(name =>
      MetadataColumns.find(name).map(source => catalog.Column.create(name, source.sparkType))
    )

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new DuckLakeScanBuilder(table, options, isRowLevel = true)
}

private[rollback] object RestoredRowsTable {
  val hidden: Vector[String] =
    Vector(HiddenNames.File, HiddenNames.Position, HiddenNames.RowId)
}
