package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Column
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.HivePath
import ducklake.catalog.partition.Transform
import ducklake.spark.config.WriteConfig
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

/** A partition key as a writer computes it.
  *
  * @param ordinal of its column in the rows
  * @param folder what stands before the `=` of its folders
  */
final case class WriteKey(ordinal: Int, column: Column, transform: Transform, folder: String)

object WriteKey {

  /** The keys of a table's layout.
    *
    * @param columns those of a row
    */
  def of(layout: WriteLayout, columns: Vector[Column]): Vector[WriteKey] = {
    val placed = layout.partition.map(key => (key, columnOf(layout, key)))
    val names = HivePath.names(placed.map { case (key, column) =>
      HivePath.Key(key.transform, column.name)
    })
    placed.zip(names).map { case ((key, column), name) =>
      WriteKey(columns.indexOf(column), column, key.transform, name)
    }
  }

  /** Errors: CorruptCatalog for a key of a column that the table has not. */
  def columnOf(layout: WriteLayout, key: PartitionKey): Column =
    layout.columns.find(_.id == key.column).getOrElse {
      val why = s"partition key ${key.index} names column ${key.column.value}, which is not there"
      throw new LakeException(LakeError.CorruptCatalog(layout.name, why))
    }
}

/** What a task hands back: its files, in the order in which they were closed, and rows that it held back;
  * one of the two is empty.
  */
final case class TaskResult(files: Vector[NewDataFile], held: Vector[UnsafeRow])
    extends WriterCommitMessage
