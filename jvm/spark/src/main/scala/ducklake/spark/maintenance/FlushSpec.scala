package ducklake.spark.maintenance

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Column
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.HivePath
import ducklake.files.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.write.SortColumns
import ducklake.spark.write.WriteKey

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
      keys(table),
      sort(table),
      config,
    )

  /** The columns that partitions and sort order are of, each once: those of a version's `keys`. */
  def keyColumns(table: LakeTable): Vector[Column] =
    (partitionKeys(table).map(column(table, _)) ++ sortKeys(table).map(_._2)).distinct

  private def keys(table: LakeTable): Vector[WriteKey] = {
    val columns = keyColumns(table)
    val placed = partitionKeys(table).map(key => (key, column(table, key)))
    val names = HivePath.names(placed.map { case (key, column) =>
      HivePath.Key(key.transform, column.name)
    })
    placed.zip(names).map { case ((key, column), name) =>
      WriteKey(columns.indexOf(column), column, key.transform, name)
    }
  }

  private def sort(table: LakeTable): Vector[FlushSortKey] = {
    val columns = keyColumns(table)
    sortKeys(table).map { case (key, column) => FlushSortKey(columns.indexOf(column), key) }
  }

  private def sortKeys(table: LakeTable): Vector[(SortKey, Column)] =
    table.sort.flatMap(order => SortColumns.of(order.keys, table.columns)).getOrElse(Vector.empty)

  private def partitionKeys(table: LakeTable): Vector[PartitionKey] =
    table.partition.fold(Vector.empty[PartitionKey])(_.keys)

  private def column(table: LakeTable, key: PartitionKey): Column =
    table.columns.find(_.id == key.column).getOrElse {
      val why = s"partition key ${key.index} names column ${key.column.value}, which is not there"
      throw new LakeException(LakeError.CorruptCatalog(table.qualifiedName, why))
    }
}
