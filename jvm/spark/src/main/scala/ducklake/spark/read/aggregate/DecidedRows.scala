package ducklake.spark.read.aggregate

import ducklake.catalog.predicate.Predicate
import ducklake.spark.read.DuckLakeScanBuilder
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.catalog.ColumnTable
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** The rows of a table for which all predicates are true, for aggregates that the catalog answers.
  * Not for other scans: these may also return other rows.
  */
final class DecidedRows(table: TableAtSnapshot, predicates: Vector[Predicate])
    extends ColumnTable
    with SupportsRead {

  override def name(): String = table.name

  override def columns(): Array[catalog.Column] = table.columns

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new DuckLakeScanBuilder(table, options, isRowLevel = false, decided = predicates)
}
