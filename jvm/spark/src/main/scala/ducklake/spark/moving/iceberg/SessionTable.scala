package ducklake.spark.moving.iceberg

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.catalog.SessionTables
import org.apache.iceberg.BaseTable
import org.apache.spark.sql.connector.catalog.Table

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
    SessionTables.named(source).map {
      case Some(table) => found(source, table)
      case None => SparkErrors.raise(other(source))
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
