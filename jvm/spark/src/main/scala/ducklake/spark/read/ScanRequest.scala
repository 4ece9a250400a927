package ducklake.spark.read

import ducklake.catalog.predicate.Predicate
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.types.StructType

/** A scan as Spark asked for it; two equal requests read the same rows.
  *
  * @param columns what to read, one per field of `schema`
  * @param predicates all must hold; rows that fail may still be returned
  * @param limit as many rows are enough
  * @param isRowLevel the rows are going to be changed: Spark would run the query once more to find
  *   runtime filters
  */
final case class ScanRequest(
    table: TableAtSnapshot,
    columns: Vector[ReadColumn],
    schema: StructType,
    predicates: Vector[Predicate],
    limit: Option[Int],
    isRowLevel: Boolean,
)
