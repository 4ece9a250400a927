package ducklake.spark.sparkapi.catalog

import ducklake.spark.sparkapi.sql.NameText
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableCatalog

/** Tables of the catalogs that are registered in the session. */
private[spark] object SessionTables {

  /** The table with this name, which begins with that of a catalog. None for a text that does not,
    * such as a path; None inside for a catalog without tables.
    *
    * Errors: Spark's own for a table that is not there.
    */
  def named(text: String): Option[Option[Table]] =
    for {
      parts <- NameText.parts(text)
      (catalog, path) <- parts.headOption.zip(Option(parts.drop(1)).filter(_.nonEmpty))
      manager = SparkSession.active.sessionState.catalogManager
      if manager.isCatalogRegistered(catalog)
    } yield manager.catalog(catalog) match {
      case tables: TableCatalog =>
        Some(tables.loadTable(Identifier.of(path.init.toArray, path.last)))
      case _ => None
    }
}
