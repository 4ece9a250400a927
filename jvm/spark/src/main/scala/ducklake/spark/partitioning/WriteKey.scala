package ducklake.spark.partitioning

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.HivePath
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column

/** A partition key as a writer computes it.
  *
  * @param ordinal the index of its column in the rows
  * @param folder the text before `=` in the names of its folders
  */
final case class WriteKey(ordinal: Int, column: Column, transform: Transform, folder: String)

object WriteKey {

  /** The keys of a table's layout.
    *
    * @param columns the columns of a row
    */
  def of(layout: WriteLayout, columns: Vector[Column]): Vector[WriteKey] = {
    val keysWithColumns = layout.partition.map(key => (key, columnOf(layout, key)))
    val names = HivePath.names(keysWithColumns.map { case (key, column) =>
      HivePath.Key(key.transform, column.name)
    })
    keysWithColumns.zip(names).map { case ((key, column), name) =>
      WriteKey(columns.indexOf(column), column, key.transform, name)
    }
  }

  /** The column of a key. Errors: CorruptCatalog when the table does not have it. */
  def columnOf(layout: WriteLayout, key: PartitionKey): Column =
    layout.columns.find(_.id == key.column).getOrElse {
      val why = s"partition key ${key.index} names column ${key.column.value}, which is not there"
      throw new LakeException(LakeError.CorruptCatalog(layout.name, why))
    }
}
