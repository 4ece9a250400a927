package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.model.Column
import ducklake.spark.config.WriteConfig
import ducklake.spark.layout.WriteKey
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** What all tasks of a write share.
  *
  * @param table its name, for messages
  * @param directory the table's folder as Hadoop opens it, ending in a separator
  * @param columns of each row, in order
  * @param mostHeld how many rows a task may hold back for the catalog; 0: all go to files
  */
final case class WriteSpec(
    table: String,
    directory: String,
    columns: Vector[Column],
    rule: TimeRule,
    partition: Vector[WriteKey],
    config: WriteConfig,
    mostHeld: Long,
) {

  /** A row as Spark has it. */
  def schema: StructType = StructType(columns.map { column =>
    StructField(column.name, SparkTypes.of(column, rule))
  })
}

/** What a task hands back: its files, in the order in which they were closed, and rows that it held back;
  * one of the two is empty.
  */
final case class TaskResult(files: Vector[NewDataFile], held: Vector[UnsafeRow])
    extends WriterCommitMessage
