package ducklake.spark

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.sparkapi.statement.RunningAnalysis
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableChange

/** The catalog plugin, registered as `spark.sql.catalog.<name>`. Its methods only delegate. */
final class DuckLakeCatalog extends TableInfoCatalog {

  override def loadTable(ident: Identifier): Table = onDriver(relations.tableBefore42(ident))

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    if (RunningAnalysis.isThere) onDriver(tables.evolve(ident, changes))
    else super.alterTable(ident, changes*)
}
