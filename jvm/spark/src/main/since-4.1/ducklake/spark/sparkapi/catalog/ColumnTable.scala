package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.Table

/** A table that is described by its columns. */
trait ColumnTable extends Table
