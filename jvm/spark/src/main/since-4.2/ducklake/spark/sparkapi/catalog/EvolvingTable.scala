package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.SupportsSchemaEvolution

/** A table that says which changes of its columns a statement WITH SCHEMA EVOLUTION may request. */
trait EvolvingTable extends SupportsSchemaEvolution
