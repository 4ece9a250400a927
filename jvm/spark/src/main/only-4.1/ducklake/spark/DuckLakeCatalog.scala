package ducklake.spark

import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.Table

/** The catalog plugin, registered as `spark.sql.catalog.<name>`. Its methods only delegate. */
final class DuckLakeCatalog extends TableInfoCatalog {

  override def loadTable(ident: Identifier): Table = onDriver(relations.tableBefore42(ident))
}
