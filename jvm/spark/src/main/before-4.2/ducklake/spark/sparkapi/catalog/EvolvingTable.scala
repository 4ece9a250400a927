package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.TableChange.ColumnChange

/** A table that says which changes of its columns a statement WITH SCHEMA EVOLUTION may request.
  * Spark asks it from 4.2 on.
  */
trait EvolvingTable {
  def supportsColumnChange(change: ColumnChange): Boolean
}

object EvolvingTable {

  /** What a user does who wants a write to add columns. */
  val Way: String = "Add the columns by ALTER TABLE before the write, or use Spark 4.2 or newer."
}
