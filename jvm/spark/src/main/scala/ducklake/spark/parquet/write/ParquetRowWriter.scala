package ducklake.spark.parquet.write

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.ColumnId
import ducklake.files.crypto.EncryptingFile
import ducklake.files.parquet.FooterStatistics
import ducklake.files.parquet.MeasuredOutputFile
import ducklake.files.parquet.RowGroupRows
import ducklake.spark.config.PageVersion
import ducklake.spark.config.WriteConfig
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.OutputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Writes rows into one Parquet file. Where the first rows say the columns of variants, the file
  * begins after these rows.
  *
  * @param path path for Hadoop
  * @param conf configuration from [[WriteHadoopConf.forRows]]
  */
final class ParquetRowWriter(
    path: String,
    columns: ColumnConverters,
    config: WriteConfig,
    conf: Configuration,
) {

  private val file = new MeasuredOutputFile(path, conf)
  private val view = EncryptingFile.of(file, config.isEncrypted)

  // Null where rows are written unchanged. An Option would cost time for every row.
  private val converted: ConvertedRow =
    if (columns.converters.forall(_.isEmpty)) null
    else new ConvertedRow(columns.converters.map(_.orNull).toArray)

  private val texts: TextConverters = columns.texts.orNull

  // The rows that wait until the file begins; null when none wait.
  private var sample: VariantSample = VariantSample.of(columns, config).orNull

  // Null until the file begins. An Option would cost time for every row.
  private var layout: VariantLayout = null
  private var writer: ParquetWriter[InternalRow] = null
  if (sample == null) begin(VariantSample.stated(columns, config))

  private var rows: Long = 0L

  /** Writes one row. Errors: InvalidValue for a value that the file's type cannot hold, and for a
    * text that is not UTF-8.
    */
  def write(row: InternalRow): Unit = {
    if (texts != null) texts.check(row)
    if (sample == null || !sample.add(row)) put(row)
    rows += 1
  }

  private def put(row: InternalRow): Unit = {
    if (sample != null) release()
    writer.write(if (converted == null) row else converted.over(row))
  }

  /** Begins the file with the rows that wait. */
  private def release(): Unit = {
    val waiting = sample
    begin(waiting.rowType)
    sample = null
    waiting.rows.foreach(put)
  }

  private def begin(rowType: StructType): Unit = {
    layout = VariantLayout.of(columns, rowType, conf)
    writer = SQLConf.withExistingConf(WriteHadoopConf.sqlConf()) {
      ParquetRowWriter
        .configured(new ParquetRowWriter.Builder(view.output, layout), config, conf)
        .build()
    }
  }

  def recordCount: Long = rows

  /** Bytes written so far. Data that is still in memory counts with its size in memory. */
  def dataSize: Long = if (sample == null) writer.getDataSize else sample.sizeBytes

  def close(): Unit = {
    if (sample != null) release()
    if (writer != null) writer.close()
  }

  /** Gives up the file, so that closing it does not complete it if the storage can discard it. */
  def abort(): Unit = {
    sample = null
    file.abort()
  }

  /** What the catalog records about the file; only after [[close]]. */
  def physical: PhysicalFile = file.physical(writer.getFooter.getBlocks.size.toLong, view.key)

  /** Statistics of every leaf column for the catalog; only after [[close]]. */
  def statistics(): Map[ColumnId, ColumnStatistics] = statistics(config.columnsWithoutBounds)

  /** Like [[statistics]], with the bounds that the catalog does not get. */
  def fullStatistics(): Map[ColumnId, ColumnStatistics] = statistics(Set.empty[ColumnId])

  private def statistics(withoutBounds: Set[ColumnId]): Map[ColumnId, ColumnStatistics] =
    FooterStatistics.of(writer.getFooter, layout.leaves, withoutBounds)
}

object ParquetRowWriter {

  private final class Builder(file: OutputFile, columns: VariantLayout)
      extends ParquetWriter.Builder[InternalRow, Builder](file) {

    override protected def self(): Builder = this

    override protected def getWriteSupport(conf: Configuration): WriteSupport[InternalRow] =
      new IdWriteSupport(columns)
  }

  /** The builder with the lake's options. */
  private[write] def configured[A, B <: ParquetWriter.Builder[A, B]](
      builder: ParquetWriter.Builder[A, B],
      config: WriteConfig,
      conf: Configuration,
  ): B = {
    val pages = PageLimits.of(config)
    RowGroupRows
      .limited(builder, config.rowGroupRows)
      .withConf(conf)
      .withWriteMode(ParquetFileWriter.Mode.CREATE)
      .withCompressionCodec(CompressionCodecName.valueOf(config.codec))
      .withRowGroupSize(config.rowGroupBytes)
      .withPageSize(pages.bytes)
      .withPageRowCountLimit(pages.rows)
      // Without its own codec factory, the writer makes a buffer of the page size for its
      // compressor.
      .withCodecFactory(new CodecFactory(conf, ParquetProperties.DEFAULT_PAGE_SIZE))
      .withWriterVersion(version(config.pageVersion))
      .withSizeStatisticsEnabled(false)
  }

  private[write] def version(pages: PageVersion): WriterVersion =
    pages match {
      case PageVersion.V1 => WriterVersion.PARQUET_1_0
      case PageVersion.V2 => WriterVersion.PARQUET_2_0
    }
}
