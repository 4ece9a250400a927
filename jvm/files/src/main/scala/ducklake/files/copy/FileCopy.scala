package ducklake.files.copy

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.LakeType
import ducklake.files.DeletedPositions
import ducklake.files.FileFailure
import ducklake.files.FooterStatistics
import ducklake.files.MeasuredOutputFile
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
  * @param withoutBounds columns whose values, and those of their parts, get no bounds
  * @param metadata of the file, for other readers
  */
final case class CopyFormat(
    codec: CompressionCodecName,
    properties: ParquetProperties,
    rowGroupRows: Int,
    rowGroupBytes: Long,
    withoutBounds: Set[ColumnId],
    metadata: Map[String, String],
)

object CopyFormat {

  /** Parquet's properties for copies, by those of other new files. */
  def properties(usual: ParquetProperties.Builder): ParquetProperties =
    usual.withValuesWriterFactory(new ExactFloats).build()
}

/** What was written.
  *
  * @param statistics of every leaf column
  * @param snapshots the first and the last snapshot of the rows, when the file embeds them
  */
final case class CopiedFile(
    recordCount: Long,
    sizeBytes: Long,
    footerSize: Long,
    rowGroups: Long,
    statistics: Map[ColumnId, ColumnStatistics],
    snapshots: Option[(Long, Long)],
)

/** Copies the live rows of some files to a new file, as Parquet has them: levels and values of each
  * leaf, never a value of another type. Memory has one row group of a source and one of the new file.
  *
  * @param conf the configuration of the new file
  */
final class FileCopy(files: SourceFiles, plan: CopyPlan, format: CopyFormat, conf: Configuration) {

  private val lakeTypes: Map[Vector[String], LakeType.Primitive] =
    plan.statistics.map(leaf => leaf.path -> leaf.lakeType).toMap

  /** @param path in Hadoop's form; the file must not exist
    *
    * Errors: `UnreadableFile` naming the source, `UnwritableFile`. The caller deletes the file then.
    */
  def write(path: String): CopiedFile =
    FileFailure.writing(path, files.table) {
      val target = new MeasuredOutputFile(path, conf)
      val intervals =
        Option.when(IntervalFooter.isNeededFor(plan.message))(new IntervalFooter(target))
      val codecs = new CodecFactory(conf, format.properties.getPageSizeThreshold)
      try {
        val out = new ParquetFileWriter(
          intervals.getOrElse(target),
          plan.message,
          ParquetFileWriter.Mode.CREATE,
          format.rowGroupBytes,
          ParquetWriter.MAX_PADDING_SIZE_DEFAULT,
          null,
          format.properties,
        )
        Using.resource(out)(written(_, target, codecs, intervals))
      } finally codecs.release()
    }

  private def written(
      out: ParquetFileWriter,
      target: MeasuredOutputFile,
      codecs: CodecFactory,
      intervals: Option[IntervalFooter],
  ): CopiedFile = {
    out.start()
    val compressor = codecs.getCompressor(format.codec)
    val spans = Using.resource(new NewRowGroups(out, plan.leaves, format, compressor)) { groups =>
      val each = files.files.indices.map { number =>
        Using.resource(SourceReader.open(files, number)) { source =>
          val copy = new SourceCopy(source, plan, files.shape(number), groups, format, lakeTypes)
          copyFile(source, copy)
          copy.span
        }
      }
      groups.end()
      (groups.recordCount, each.flatten)
    }
    intervals.foreach(_.hold())
    out.end(format.metadata.asJava)
    CopiedFile(
      spans._1,
      target.sizeBytes,
      target.footerSize,
      out.getFooter.getBlocks.size.toLong,
      FooterStatistics.of(out.getFooter, plan.statistics, format.withoutBounds),
      spans._2.reduceOption((a, b) => (math.min(a._1, b._1), math.max(a._2, b._2))),
    )
  }

  private def copyFile(source: SourceReader, copy: SourceCopy): Unit = {
    val deletes = source.file.deletes()
    val end = source.file.visibility match {
      case RowVisibility.Prefix(rows, _) => rows
      case RowVisibility.All | RowVisibility.Embedded(_) => Long.MaxValue
    }
    var first = 0L
    source.groups.zipWithIndex.foreach { case (group, number) =>
      copyGroup(
        copy,
        number,
        first,
        group.getRowCount,
        math.min(group.getRowCount, end - first),
        deletes,
      )
      first += group.getRowCount
    }
  }

  private def copyGroup(
      copy: SourceCopy,
      number: Int,
      first: Long,
      rows: Long,
      visible: Long,
      deletes: DeletedPositions,
  ): Unit =
    if (visible > 0) {
      val deleted = deletes.countIn(first, visible)
      if (deleted == 0 && visible == rows && copy.isLarge(number)) copy.wholeGroup(number, first)
      else if (deleted < visible) copy.rowsOf(number, first, visible, deletes)
    }
}
