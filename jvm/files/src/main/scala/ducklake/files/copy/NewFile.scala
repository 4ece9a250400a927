package ducklake.files.copy

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.types.ColumnId
import ducklake.files.copy.plan.CopyPlan
import ducklake.files.crypto.EncryptingFile
import ducklake.files.io.FileFailure
import ducklake.files.io.WholeFile
import ducklake.files.parquet.FooterStatistics
import ducklake.files.parquet.MeasuredOutputFile
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.util.Using

/** How a new file is written.
  *
  * @param rowGroupRows maximum number of rows in a row group
  * @param rowGroupBytes approximate maximum number of bytes in a row group
  * @param withoutBounds columns that get no bounds, nor do their parts
  * @param metadata of the file, for other readers
  * @param isEncrypted whether the file is encrypted
  */
final case class CopyFormat(
    codec: CompressionCodecName,
    properties: ParquetProperties,
    rowGroupRows: Int,
    rowGroupBytes: Long,
    withoutBounds: Set[ColumnId],
    metadata: Map[String, String],
    isEncrypted: Boolean = false,
)

object CopyFormat {

  /** Parquet's properties for copies, derived from the usual properties. */
  def properties(usual: ParquetProperties.Builder): ParquetProperties =
    usual.withValuesWriterFactory(new ExactFloats).build()
}

/** The facts about the written file.
  *
  * @param statistics of every leaf column
  * @param snapshots the first and the last snapshot of the rows, when the file embeds them
  */
final case class WrittenCopy(
    recordCount: Long,
    physical: PhysicalFile,
    statistics: Map[ColumnId, ColumnStatistics],
    snapshots: Option[(Long, Long)],
)

/** Writes a new file of copied rows.
  *
  * @param table for messages
  * @param conf the configuration of the new file
  */
private[copy] final class NewFile(
    table: String,
    plan: CopyPlan,
    format: CopyFormat,
    conf: Configuration,
) {

  /** @param path in Hadoop's form; the file must not exist
    * @param fill adds the rows, and returns their first and last snapshot when the file embeds them
    *
    * Errors: `UnwritableFile`, and the errors of `fill`. The caller deletes the file then.
    */
  def write(path: String)(fill: NewRowGroups => Option[(Long, Long)]): WrittenCopy =
    FileFailure.writing(path, table) {
      val target = new MeasuredOutputFile(path, conf)
      val view = EncryptingFile.of(target, format.isEncrypted)
      val intervals =
        Option.when(IntervalFooter.isNeededFor(plan.message))(new IntervalFooter(view.output))
      val codecs = new CodecFactory(conf, ParquetProperties.DEFAULT_PAGE_SIZE)
      try {
        val out = new ParquetFileWriter(
          intervals.getOrElse(view.output),
          plan.message,
          ParquetFileWriter.Mode.CREATE,
          format.rowGroupBytes,
          ParquetWriter.MAX_PADDING_SIZE_DEFAULT,
          null,
          format.properties,
        )
        val copied = WholeFile.written(target.abort(), out.close()) {
          written(out, target, codecs, intervals, fill)
        }
        copied.copy(physical = copied.physical.copy(key = view.key))
      } finally codecs.release()
    }

  private def written(
      out: ParquetFileWriter,
      target: MeasuredOutputFile,
      codecs: CodecFactory,
      intervals: Option[IntervalFooter],
      fill: NewRowGroups => Option[(Long, Long)],
  ): WrittenCopy = {
    out.start()
    val compressor = codecs.getCompressor(format.codec)
    val (rows, span) =
      Using.resource(new NewRowGroups(out, plan.leaves, format, compressor)) { groups =>
        val filled = fill(groups)
        groups.end()
        (groups.recordCount, filled)
      }
    intervals.foreach(_.hold())
    out.end(format.metadata.asJava)
    WrittenCopy(
      rows,
      target.physical(out.getFooter.getBlocks.size.toLong, key = None),
      FooterStatistics.of(out.getFooter, plan.statistics, format.withoutBounds),
      span,
    )
  }
}
