package ducklake.files.foreign

import ducklake.files.delete.DeletedPositions
import ducklake.files.io.FileFailure
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageType

import scala.collection.mutable
import scala.jdk.CollectionConverters.ListHasAsScala

/** Reads Parquet files with deleted positions of several data files: each row has the path of a data
  * file and a position in it.
  *
  * Source: Iceberg's specification, position delete files.
  */
object PathPositions {

  /** Iceberg's field ids of both columns. */
  private val PathId = 2147483546
  private val PositionId = 2147483545

  /** The positions of the wanted data files, by the text with which the file names them.
    *
    * @param path of the delete file in Hadoop's form
    * @param table for messages
    *
    * Errors: `UnreadableFile` naming the delete file.
    */
  def read(
      path: String,
      sizeBytes: Long,
      wanted: Set[String],
      table: String,
      conf: Configuration,
  ): Map[String, DeletedPositions] =
    FileFailure.naming(path, table) {
      val found = mutable.Map.empty[String, mutable.ArrayBuilder[Long]]
      ColumnGroups.foreach(path, sizeBytes, conf)(columns) { (readers, rows) =>
        collect(readers, rows, wanted, found)
      }
      found.view.mapValues(each => DeletedPositions.of(each.result())).toMap
    }

  private def columns(schema: MessageType): Vector[ColumnDescriptor] =
    Vector(column(schema, PathId, "file_path"), column(schema, PositionId, "pos"))

  private def collect(
      readers: Vector[ColumnReader],
      rows: Long,
      wanted: Set[String],
      found: mutable.Map[String, mutable.ArrayBuilder[Long]],
  ): Unit = {
    val Vector(paths, positions) = readers: @unchecked
    // A plain loop: delete files may have millions of rows. Rows of one data file stand together.
    var last = Binary.EMPTY
    var target = Option.empty[mutable.ArrayBuilder[Long]]
    var row = 0L
    while (row < rows) {
      require(
        ColumnGroups.isPresent(paths) && ColumnGroups.isPresent(positions),
        "a row of a delete file has a NULL",
      )
      val path = paths.getBinary
      if (row == 0 || path != last) {
        last = path.copy()
        val text = path.toStringUsingUTF8
        target = Option.when(wanted(text))(found.getOrElseUpdate(text, Array.newBuilder[Long]))
      }
      val position = positions.getLong
      target.foreach(_.addOne(position))
      paths.consume()
      positions.consume()
      row += 1
    }
  }

  private def column(schema: MessageType, id: Int, name: String): ColumnDescriptor = {
    val field = schema.getFields.asScala.find { each =>
      Option(each.getId).map(_.intValue).fold(each.getName == name)(_ == id)
    }
    require(field.exists(_.isPrimitive), s"a delete file needs the column $name")
    schema.getColumnDescription(field.map(_.getName).toArray)
  }
}
