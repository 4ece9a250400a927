package ducklake.spark.maintenance.flush

import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.HivePath
import ducklake.catalog.types.Column
import ducklake.files.path.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.partitioning.SortColumns
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.partitioning.WriteLayout
import ducklake.spark.write.EmbeddedColumns

/** The settings that all writers of an inlined table's rows share.
  *
  * @param table the table's name, for messages
  * @param directory the table's folder in DuckDB's spelling, ending in a separator
  * @param hadoopDirectory the same folder as Hadoop opens it
  * @param columns of the inlined table
  * @param keys the table's present partition keys; their ordinals are indexes into a row version's
  *   `keys`
  * @param sort the table's present sort order, used even when inserted rows are not sorted
  * @param lineage what the files record of each row. Without its snapshot the row begins with the
  *   file; without its row id, too, it is a new row
  */
final case class FlushSpec(
    table: String,
    directory: String,
    hadoopDirectory: String,
    columns: Vector[Column],
    keys: Vector[WriteKey],
    sort: Vector[FlushSortKey],
    config: WriteConfig,
    lineage: Vector[Column] = FlushSpec.RowIds :+ EmbeddedColumns.snapshotId,
) {

  /** The folder of a partition's data files below the table's folder: empty, or ending in a
    * separator.
    */
  def folder(partition: Option[Vector[Option[String]]]): String =
    partition.filter(_ => config.usesHiveFolders).fold("") { values =>
      HivePath.folder(keys.map(_.folder), values, HivePath.Room.below(directory))
    }
}

object FlushSpec {

  /** The lineage of rows that begin with their file. */
  val RowIds: Vector[Column] = Vector(EmbeddedColumns.rowId)

  def of(table: LakeTable, columns: Vector[Column], config: WriteConfig): FlushSpec =
    FlushSpec(
      table.qualifiedName,
      table.directory,
      PathResolver.hadoopPath(table.directory),
      columns,
      WriteKey.of(WriteLayout.of(table), keyColumns(table)),
      sort(table),
      config,
    )

  /** The columns of the partition keys and of the sort order, each once. A row version's `keys` are
    * the values of these columns.
    */
  def keyColumns(table: LakeTable): Vector[Column] = {
    val layout = WriteLayout.of(table)
    (layout.partition.map(WriteKey.columnOf(layout, _)) ++ sortKeys(table).map(_._2)).distinct
  }

  private def sort(table: LakeTable): Vector[FlushSortKey] = {
    val columns = keyColumns(table)
    sortKeys(table).map { case (key, column) => FlushSortKey(columns.indexOf(column), key) }
  }

  private def sortKeys(table: LakeTable): Vector[(SortKey, Column)] =
    table.sort.flatMap(order => SortColumns.of(order.keys, table.columns)).getOrElse(Vector.empty)
}
