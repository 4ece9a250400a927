package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.SupportsSchemaEvolution

/** A table that says which changes of its columns a statement WITH SCHEMA EVOLUTION may request. */
trait EvolvingTable extends SupportsSchemaEvolution

object EvolvingTable {

  /** What a user does who wants a write to add columns. */
  val Way: String =
    "Use INSERT WITH SCHEMA EVOLUTION, `df.writeTo(…).withSchemaEvolution()`, or the extension " +
      "`ducklake.spark.DuckLakeExtensions` of the session."
}
