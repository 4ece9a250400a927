package ducklake.spark.parquet.write

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.Literal
import ducklake.files.MeasuredOutputFile
import ducklake.spark.config.WriteConfig
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.io.OutputFile

/** Writes values of the lake into one Parquet file, without Spark's types in between: every bit is kept.
  * The file is like those of [[ParquetRows]].
  *
  * @param path as Hadoop opens it
  * @param conf of [[WriteHadoopConf.forFiles]]
  */
final class LiteralRows(
    path: String,
    columns: Vector[Column],
    config: WriteConfig,
    conf: Configuration,
) {

  private val file = new MeasuredOutputFile(path, conf)

  private val writer: ParquetWriter[Vector[Literal]] =
    ParquetRows.configured(new LiteralRows.Builder(file, columns), config, conf).build()

  /** Errors: InvalidValue for what no file can hold exactly. */
  def write(values: Vector[Literal]): Unit = writer.write(values)

  def close(): Unit = writer.close()

  /** Once it is closed. */
  def sizeBytes: Long = file.sizeBytes

  /** Once it is closed. */
  def footerSize: Long = file.footerSize

  /** Once it is closed: of every leaf column. */
  def statistics(): Map[ColumnId, ColumnStatistics] =
    FooterStatistics.of(
      writer.getFooter,
      columns.flatMap(column => FileSchemaBuilder.leaves(column)),
    )
}

private object LiteralRows {

  final class Builder(file: OutputFile, columns: Vector[Column])
      extends ParquetWriter.Builder[Vector[Literal], Builder](file) {

    override protected def self(): Builder = this

    override protected def getWriteSupport(conf: Configuration): WriteSupport[Vector[Literal]] =
      new LiteralWriteSupport(columns)
  }
}
