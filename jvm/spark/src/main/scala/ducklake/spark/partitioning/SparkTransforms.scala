package ducklake.spark.partitioning

import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import org.apache.spark.sql.connector.expressions
import org.apache.spark.sql.connector.expressions.ClusterByTransform
import org.apache.spark.sql.connector.expressions.Expressions

import scala.collection.immutable.ListMap

/** Converts partition keys to Spark's transforms, with names that have no other meaning in Spark.
  */
object SparkTransforms {

  def of(table: LakeTable): Array[expressions.Transform] =
    table.partition.toVector.flatMap(_.keys).flatMap(transform(table, _)).toArray

  /** What the statement that creates such a table gives to Spark: the partition keys, or else the
    * columns of CLUSTER BY. A sort order that CLUSTER BY cannot give is left out.
    */
  def ofCreation(table: LakeTable): Array[expressions.Transform] = {
    val keys = of(table)
    if (keys.isEmpty) clustering(table).toArray else keys
  }

  private def clustering(table: LakeTable): Option[expressions.Transform] =
    table.sort
      .map(_.keys)
      .filter(_.forall(isClustering))
      .flatMap(SortColumns.of(_, table.columns))
      .map { keys =>
        ClusterByTransform(keys.map { case (_, column) => Expressions.column(quoted(column.name)) })
      }

  private def isClustering(key: SortKey): Boolean =
    key.direction == SortDirection.Ascending && key.nulls == NullOrder.Last

  /** A key as DESCRIBE prints it: `c`, `year(ts)`, `bucket(4, id)`. */
  def describe(table: LakeTable, key: PartitionKey): String =
    transform(table, key).map(_.describe()).getOrElse(s"column ${key.column.value}")

  /** Partition values, each under its key as DESCRIBE prints it. The table no longer has the keys
    * of an older layout, so these are named by their index.
    */
  def values(table: LakeTable, partition: FilePartition): ListMap[String, Option[String]] = {
    val keys = table.partition.filter(_.id == partition.id).toVector.flatMap(_.keys)
    ListMap.from(partition.values.toVector.sortBy(_._1).map { case (index, value) =>
      keys.find(_.index == index).fold(index.toString)(describe(table, _)) -> value
    })
  }

  private def transform(table: LakeTable, key: PartitionKey): Option[expressions.Transform] =
    table.columns.find(_.id == key.column).map { column =>
      val reference = Expressions.column(quoted(column.name))
      key.transform match {
        case Transform.Identity => Expressions.identity(quoted(column.name))
        case part @ (_: Transform.Calendar | Transform.Epoch(_)) =>
          Expressions.apply(TransformText.print(part), reference)
        case Transform.Bucket(count) => Expressions.bucket(count, quoted(column.name))
      }
    }

  /** The name in a reference. Spark parses references, so a name that is not a plain word needs
    * backquotes.
    */
  private def quoted(name: String): String =
    if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) name else s"`${name.replace("`", "``")}`"
}
