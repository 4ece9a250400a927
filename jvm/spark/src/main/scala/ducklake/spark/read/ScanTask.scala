package ducklake.spark.read

import ducklake.catalog.predicate.Predicate
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.vector.RowPage
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.HasPartitionKey
import org.apache.spark.sql.connector.read.InputPartition

/** The input of one Spark task: parts of files, or rows from the catalog. */
sealed trait ScanTask extends InputPartition

/** Parts of files, read one after another.
  *
  * @param runtime the runtime filters of the query; rows that do not match may be left out
  */
final case class FilesTask(parts: Vector[FilePart], runtime: Vector[Predicate] = Vector.empty)
    extends ScanTask

/** Rows from the catalog database, with one value for each column of the [[ReadSpec]]. */
final case class InlinedTask(rows: RowPage) extends ScanTask

/** Parts of files whose rows all have one partition key. */
final case class KeyedTask(files: FilesTask, key: InternalRow)
    extends ScanTask
    with HasPartitionKey {
  override def partitionKey(): InternalRow = key
}
