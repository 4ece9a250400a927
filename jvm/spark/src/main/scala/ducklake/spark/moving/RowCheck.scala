package ducklake.spark.moving

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.PlannedFiles
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.job.LakeJob
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.catalog.TableQueries
import ducklake.spark.table.DuckLakeTable
import ducklake.spark.types.SparkTypes
import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** The current rows of a source, as its own library reads them. */
private[moving] trait SourceRows {

  /** @param shape the columns as Spark shows them, in the order of the source */
  def sum(shape: StructType): RowSum
}

/** Reads all rows of a moved table before its commit, and all rows of the source by the source's own
  * library, and compares both.
  */
private[moving] final class RowCheck(lake: SessionLake, source: SourceRows, conf: Configuration) {

  /** The sum of the rows, which both readers give.
    *
    * @param name of the source, for messages
    * @param register with the table as it would be
    *
    * Errors: CannotAddFile when both readers differ; those of readers.
    */
  def run(
      base: LakeSnapshot,
      name: String,
      register: Operation.RegisterFiles,
      deletes: Option[Operation.DeleteRows],
  ): RowSum = {
    val table = register.table
    val planned = base.seenThrough(new PlannedFiles(base.snapshot.id, register, deletes))
    val shape = StructType(
      table.columns.map(column => StructField(column.name, SparkTypes.of(column, lake.timeRule)))
    )
    val found = new DuckLakeTable(new TableAtSnapshot(lake, planned, table))
    val rows = TableQueries.select(found, Vector.empty, table.columns.map(_.name))
    val ours = RowCheck.sum(rows, shape, s"Reading all rows of ${table.qualifiedName}", conf)
    val theirs = source.sum(shape)
    if (ours != theirs)
      SparkErrors.raise(
        LakeError.CannotAddFile(
          table.qualifiedName,
          name,
          s"has ${RowCheck.described(theirs)} by the reader of its own format, and " +
            s"${RowCheck.described(ours)} as files of the lake",
          RowCheck.Hint,
        )
      )
    ours
  }
}

private[moving] object RowCheck {

  /** The sum of rows that Spark reads, computed by tasks. */
  def sum(
      rows: RDD[InternalRow],
      shape: StructType,
      description: String,
      conf: Configuration,
  ): RowSum =
    new LakeJob(SparkSession.active.sparkContext, description, "compared rows", conf)
      .collect(rows)((some, _) => RowSum.of(some, shape))
      .foldLeft(RowSum.none)(_ + _)

  private val Hint =
    "Compare both row by row: the format may say something else than its files, or a file was " +
      "changed. Or copy the rows with CREATE TABLE AS SELECT."

  private def described(sum: RowSum): String = s"${sum.count} rows with the checksum ${sum.text}"
}
