package ducklake.spark.read

import ducklake.catalog.predicate.Predicate
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.read.top.TopRows
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.types.StructType

/** A scan as Spark requested it. Two equal requests read the same rows.
  *
  * @param columns the columns to read, one for each field of `schema`
  * @param predicates filters that all must hold; rows for which a filter is false may still be
  *   returned
  * @param limit the number of rows that suffices
  * @param top the first rows of an order, which suffice; then there is no limit
  * @param isRowLevel whether a row-level statement reads the rows in order to change them. This
  *   scan has no runtime filters, because Spark would run the query once more to find them
  */
final case class ScanRequest(
    table: TableAtSnapshot,
    columns: Vector[ReadColumn],
    schema: StructType,
    predicates: Vector[Predicate],
    limit: Option[Int],
    top: Option[TopRows],
    isRowLevel: Boolean,
)
