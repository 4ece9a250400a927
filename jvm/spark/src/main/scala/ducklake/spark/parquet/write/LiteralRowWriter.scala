package ducklake.spark.parquet.write

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal
import ducklake.files.crypto.EncryptingFile
import ducklake.files.parquet.FooterStatistics
import ducklake.files.parquet.MeasuredOutputFile
import ducklake.spark.config.WriteConfig
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.io.OutputFile

/** Writes literals into one Parquet file. The values are never converted to Spark's types, so they
  * stay exact. The file has the same form as files of [[ParquetRowWriter]].
  *
  * @param path path for Hadoop
  * @param conf configuration from [[WriteHadoopConf.forFiles]]
  */
final class LiteralRowWriter(
    path: String,
    columns: Vector[Column],
    config: WriteConfig,
    conf: Configuration,
) {

  private val file = new MeasuredOutputFile(path, conf)
  private val view = EncryptingFile.of(file, config.isEncrypted)

  private val writer: ParquetWriter[Vector[Literal]] =
    ParquetRowWriter
      .configured(new LiteralRowWriter.Builder(view.output, columns), config, conf)
      .build()

  /** Writes one row. Errors: InvalidValue for a value that no file can hold exactly. */
  def write(values: Vector[Literal]): Unit = writer.write(values)

  def close(): Unit = writer.close()

  /** Gives up the file, so that closing it does not complete it if the storage can discard it. */
  def abort(): Unit = file.abort()

  /** What the catalog records about the file; only after [[close]]. */
  def physical: PhysicalFile = file.physical(writer.getFooter.getBlocks.size.toLong, view.key)

  /** Statistics of every leaf column; only after [[close]]. */
  def statistics(): Map[ColumnId, ColumnStatistics] =
    FooterStatistics.of(
      writer.getFooter,
      columns.flatMap(FileSchemaBuilder.leaves),
      config.columnsWithoutBounds,
    )
}

private object LiteralRowWriter {

  final class Builder(file: OutputFile, columns: Vector[Column])
      extends ParquetWriter.Builder[Vector[Literal], Builder](file) {

    override protected def self(): Builder = this

    override protected def getWriteSupport(conf: Configuration): WriteSupport[Vector[Literal]] =
      new LiteralWriteSupport(columns)
  }
}
