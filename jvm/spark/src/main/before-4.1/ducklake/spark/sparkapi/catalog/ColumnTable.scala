package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.ducklake.SchemaOfColumns
import org.apache.spark.sql.types.StructType

/** A table that is described by its columns. Spark 4.0 wants a schema too, and does not ask for the
  * id and the version of a table.
  */
trait ColumnTable extends Table {
  override def schema(): StructType = SchemaOfColumns.of(columns())
  def id(): String = name()
  def version(): String = ""
}
