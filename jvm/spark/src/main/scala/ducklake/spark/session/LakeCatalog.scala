package ducklake.spark.session

import org.apache.spark.sql.connector.catalog.TableCatalog

/** The catalog plugin of a lake, as rules of the extension find it by its name. */
trait LakeCatalog extends TableCatalog {

  /** The lake as the session registered it. */
  private[spark] def lakeOfSession: SessionLake
}
