package ducklake.spark.session

import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.TableCatalog

/** The catalog plugin of a lake, as the rules of the extension find it by the catalog's name. */
trait LakeCatalog extends TableCatalog {

  /** The lake as the session registered it. */
  private[spark] def lakeOfSession: SessionLake

  /** Makes it the catalog of this lake, before any other use. */
  private[spark] def open(lake: SessionLake): Unit

  def viewExists(ident: Identifier): Boolean

  def namespaceExists(namespace: Array[String]): Boolean

  def listProcedures(namespace: Array[String]): Array[Identifier]
}
