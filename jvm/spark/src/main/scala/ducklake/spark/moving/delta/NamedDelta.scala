package ducklake.spark.moving.delta

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.catalog.SessionTables
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableCatalog

/** A table of Delta in a catalog of the session. The catalog says where its folder is. */
private[delta] object NamedDelta {

  /** The folder of the table. None for a text that does not begin with the name of a catalog, such as
    * a path.
    *
    * Errors: InvalidArgument for a table of another format; Spark's own for a table that is not
    * there.
    */
  def folder(source: String): Option[String] =
    SessionTables.named(source).map { table =>
      table.flatMap(located).getOrElse {
        val why = s"`$source` is no table of Delta"
        SparkErrors.raise(LakeError.InvalidArgument("migrate_from_delta", "source", why))
      }
    }

  private def located(table: Table): Option[String] = {
    val properties = table.properties
    Option(properties.get(TableCatalog.PROP_PROVIDER))
      .filter(_.equalsIgnoreCase("delta"))
      .flatMap(_ => Option(properties.get(TableCatalog.PROP_LOCATION)))
  }
}
