package ducklake.spark.moving.iceberg

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.sql.NameText
import org.apache.iceberg.BaseTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableCatalog

/** A table of Iceberg in a catalog of the session. Its connector is in Iceberg's runtime for Spark,
  * which the session has then.
  */
private[iceberg] object SessionTable {

  /** None for a text that does not begin with the name of a catalog, such as a path.
    *
    * Errors: InvalidArgument for a table of another format; Spark's own for a table that is not
    * there.
    */
  def find(source: String): Option[BaseTable] =
    for {
      parts <- NameText.parts(source)
      (catalog, path) <- parts.headOption.zip(Option(parts.drop(1)).filter(_.nonEmpty))
      manager = SparkSession.active.sessionState.catalogManager
      if manager.isCatalogRegistered(catalog)
    } yield manager.catalog(catalog) match {
      case tables: TableCatalog =>
        found(source, tables.loadTable(Identifier.of(path.init.toArray, path.last)))
      case _ => SparkErrors.raise(other(source))
    }

  /** The connector has no name that is in our class path, and its tables may be of a cache. */
  private def found(source: String, table: Table): BaseTable =
    table.getClass.getMethods.find(each =>
      each.getName == "table" && each.getParameterCount == 0
    ) match {
      case Some(method) =>
        method.invoke(table) match {
          case known: BaseTable =>
            known.refresh()
            known
          case _ => SparkErrors.raise(other(source))
        }
      case None => SparkErrors.raise(other(source))
    }

  private def other(source: String): LakeError =
    LakeError.InvalidArgument("migrate_from_iceberg", "source", s"`$source` is no table of Iceberg")
}
