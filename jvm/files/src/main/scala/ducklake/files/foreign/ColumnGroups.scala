package ducklake.files.foreign

import ducklake.files.parquet.NoOpRecordConverter
import ducklake.files.store.KnownFile
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Types

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

/** Reads some columns of an existing Parquet file, one row group after another. No column is within
  * a list or map.
  */
private[foreign] object ColumnGroups {

  /** @param path in Hadoop's form
    * @param choose the columns to read, by the file's schema
    * @param use is given a reader for each column, in order, and the number of rows of the group
    */
  def foreach(path: String, sizeBytes: Long, conf: Configuration)(
      choose: MessageType => Vector[ColumnDescriptor]
  )(use: (Vector[ColumnReader], Long) => Unit): Unit = {
    val input = KnownFile.input(path, sizeBytes, conf)
    val options = HadoopReadOptions.builder(conf, input.getPath).build()
    Using.resource(KnownFile.opened(input, options, None)) { reader =>
      each(reader, choose(reader.getFileMetaData.getSchema), use)
    }
  }

  private def each(
      reader: ParquetFileReader,
      columns: Vector[ColumnDescriptor],
      use: (Vector[ColumnReader], Long) => Unit,
  ): Unit = {
    val requested = columns
      .map(column => only(reader.getFileMetaData.getSchema, column.getPath.toList))
      .reduceOption(_.union(_))
      .getOrElse(Types.buildMessage.named("none"))
    reader.setRequestedSchema(requested)
    val createdBy = reader.getFileMetaData.getCreatedBy
    Iterator
      .continually(Option(reader.readNextRowGroup()))
      .takeWhile(_.nonEmpty)
      .flatten
      .foreach { group =>
        val store =
          new ColumnReadStoreImpl(group, new NoOpRecordConverter(requested), requested, createdBy)
        use(columns.map(store.getColumnReader), group.getRowCount)
      }
  }

  /** The schema with nothing but the column at the path. */
  private def only(schema: MessageType, path: List[String]): MessageType = {
    def within(field: Type, below: List[String]): Type = below match {
      case Nil => field
      case name :: rest =>
        val group = field.asGroupType
        group.withNewFields(within(group.getType(name), rest))
    }
    val top = schema.getFields.get(schema.getFieldIndex(path.head))
    new MessageType(schema.getName, within(top, path.tail))
  }

  /** Whether the value of the reader's row is not NULL. */
  def isPresent(reader: ColumnReader): Boolean =
    reader.getCurrentDefinitionLevel == reader.getDescriptor.getMaxDefinitionLevel

  /** The path of the leaf with this field id that is in no list or map. */
  def leafOf(schema: MessageType, id: Int): Option[ColumnDescriptor] =
    schema.getColumns.asScala.find { column =>
      column.getMaxRepetitionLevel == 0 &&
      Option(column.getPrimitiveType.getId).exists(_.intValue == id)
    }
}
