package ducklake.spark.delete

import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.read.DuckLakeScanBuilder
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.catalog.ColumnTable
import ducklake.spark.types.HiddenNames
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** A table in which a statement searches for rows. Its rows also have the data file and the
  * position. It equals no other table, so that Spark never answers from its cache.
  */
final class RowPositionsTable(table: TableAtSnapshot) extends ColumnTable with SupportsRead {

  override def name(): String = table.name

  override def columns(): Array[catalog.Column] =
    table.columns ++ Array(
      catalog.Column.create(HiddenNames.File, ReadColumn.FileId.sparkType),
      catalog.Column.create(HiddenNames.Position, ReadColumn.PositionInFile.sparkType),
    )

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new DuckLakeScanBuilder(table, options, isRowLevel = true)
}
