package ducklake.spark.maintenance.flush

import ducklake.catalog.model.Column
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SortKey
import ducklake.files.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.layout.SortColumns
import ducklake.spark.layout.WriteKey
import ducklake.spark.layout.WriteLayout

/** What all writers of an inlined table's rows share.
  *
  * @param table its name, for messages
  * @param directory the table's folder in DuckDB's spelling, ending in a separator
  * @param hadoopDirectory the same as Hadoop opens it
  * @param columns of the inlined table
  * @param keys the table's partition keys as of today; the ordinal is that of a version's `keys`
  * @param sort the table's sort order as of today, obeyed even where rows are not sorted when inserted
  */
final case class FlushSpec(
    table: String,
    directory: String,
    hadoopDirectory: String,
    columns: Vector[Column],
    keys: Vector[WriteKey],
    sort: Vector[FlushSortKey],
    config: WriteConfig,
)

object FlushSpec {

  def of(table: LakeTable, columns: Vector[Column], config: WriteConfig): FlushSpec =
    FlushSpec(
      table.qualifiedName,
      table.directory,
      PathResolver(None).hadoopPath(table.directory),
      columns,
      WriteKey.of(WriteLayout.of(table), keyColumns(table)),
      sort(table),
      config,
    )

  /** The columns that partitions and sort order are of, each once: those of a version's `keys`. */
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
