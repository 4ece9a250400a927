package ducklake.spark.parquet.rowgroup

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.spark.sql.execution.datasources.parquet.SpecificParquetRecordReaderBase
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader

import java.lang.reflect.Field
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Proxy

/** Puts row groups of our choice below Spark's reader, which otherwise reads one after another.
  *
  * Spark's interface for this is not public, and the reader has no method to set it. So a proxy
  * implements the interface.
  */
private[parquet] object SparkRowGroups {

  /** From now on the reader decodes the row groups that `next` gives. It does not know where they
    * end: whoever asks it for a batch has to know that there is one.
    *
    * @param reader has been initialized and has read nothing
    * @return the reader of the file, which Spark's reader closes
    */
  def replaceIn(reader: SpecificParquetRecordReaderBase[?])(
      next: () => PageReadStore
  ): ParquetFileReader = {
    val groups = field(classOf[SpecificParquetRecordReaderBase[?]], "reader")
    val below = groups.get(reader)
    val proxy = Proxy.newProxyInstance(
      groups.getType.getClassLoader,
      Array[Class[?]](groups.getType),
      (_, method, arguments) =>
        if (method.getName == "readNextRowGroup") next()
        else {
          method.setAccessible(true)
          try method.invoke(below, Option(arguments).toSeq.flatten*)
          catch { case failure: InvocationTargetException => throw failure.getCause }
        },
    )
    groups.set(reader, proxy)
    field(classOf[SpecificParquetRecordReaderBase[?]], "totalRowCount")
      .setLong(reader, Long.MaxValue)
    field(below.getClass, "reader").get(below) match {
      case file: ParquetFileReader => file
      case other => throw new IllegalStateException(s"not a reader of Parquet's library: $other")
    }
  }

  /** The reader goes on with the next row group, although rows of its current one are left. */
  def leave(reader: VectorizedParquetRecordReader): Unit =
    field(classOf[VectorizedParquetRecordReader], "rowsReturned").setLong(
      reader,
      field(classOf[VectorizedParquetRecordReader], "totalCountLoadedSoFar").getLong(reader),
    )

  private def field(owner: Class[?], name: String): Field = {
    val found = owner.getDeclaredField(name)
    found.setAccessible(true)
    found
  }
}
