package ducklake.spark.parquet.read

import ducklake.files.parquet.FileNode
import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** A field of a struct in a file that is read only to find where the struct is NULL.
  *
  * @param requested the field as it is requested from Spark's reader
  * @param leaves the file's columns that are read for it
  */
final case class Presence(requested: StructField, leaves: Vector[FileNode.Leaf]) {

  /** The leaves without annotations, because Spark's reader may not know these. Their values do not
    * matter.
    */
  def replacements: Vector[(Vector[String], PrimitiveType)] =
    leaves.map(leaf => leaf.path -> ParquetColumnSource.plain(leaf.stored))
}

object Presence {

  /** @param fields of the struct; the result is None without fields */
  def of(fields: Vector[FileNode]): Option[Presence] =
    Option.when(fields.nonEmpty) {
      val field = cheapest(fields)
      Presence(StructField(field.name, stored(field), nullable = true), leaves(field))
    }

  /** If possible, a leaf that is neither repeated nor text. */
  private def cheapest(among: Vector[FileNode]): FileNode =
    among.minBy {
      case leaf: FileNode.Leaf if ParquetColumnSource.physical(leaf.stored) == IntegerType => 0
      case _: FileNode.Leaf => 1
      case _: FileNode.Group => 2
      case _ => 3
    }

  private def stored(node: FileNode): DataType =
    node match {
      case leaf: FileNode.Leaf => ParquetColumnSource.physical(leaf.stored)
      case group: FileNode.Group =>
        val field = cheapest(group.fields)
        StructType(Array(StructField(field.name, stored(field), nullable = true)))
      case list: FileNode.Repeated => ArrayType(stored(list.element))
      case map: FileNode.Entries => MapType(stored(map.key), stored(map.value))
    }

  private def leaves(node: FileNode): Vector[FileNode.Leaf] =
    node match {
      case leaf: FileNode.Leaf => Vector(leaf)
      case group: FileNode.Group => leaves(cheapest(group.fields))
      case list: FileNode.Repeated => leaves(list.element)
      case map: FileNode.Entries => leaves(map.key) ++ leaves(map.value)
    }
}
