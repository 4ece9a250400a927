package ducklake.spark.maintenance.rows

import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId
import ducklake.files.copy.ReorderedCopy
import ducklake.files.copy.RowCopier
import ducklake.files.copy.WrittenCopy
import ducklake.files.copy.plan.CopyPlan
import ducklake.files.copy.plan.SourceFile
import ducklake.files.copy.plan.SourceFiles
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.write.CopyFormats
import ducklake.spark.parquet.write.DefaultLeaves
import ducklake.spark.parquet.write.FileSchemaBuilder
import ducklake.spark.parquet.write.WriteHadoopConf
import org.apache.hadoop.conf.Configuration

/** Copies the live rows of some files to one file without Spark's types, so that every bit is kept
  * (decision 14).
  */
private[maintenance] final class ExactRowWriter(
    spec: CompactionSpec,
    input: CompactionInput,
    written: WrittenColumns,
    files: SourceFiles,
    settings: Configuration,
    readConf: Configuration,
) {

  /** Writes the file; None when the rows have to pass through Spark's types, because [[CopyPlan]]
    * has no plan for the files, or because their dates become those of another calendar.
    *
    * Errors: UnreadableFile, UnwritableFile.
    */
  def write(path: String): Option[WrittenRows] =
    plan.map { found =>
      val copied = copy(found, path)
      WrittenRows(
        copied.recordCount,
        copied.physical,
        copied.statistics,
        written.embedsRowIds,
        copied.snapshots.map { case (first, last) =>
          SnapshotRange(SnapshotId(first), SnapshotId(last))
        },
      )
    }

  private def plan: Option[CopyPlan] =
    if (input.parts.exists(_.isOld)) None
    else
      CopyPlan.of(
        files,
        input.columns,
        FileSchemaBuilder.message(written.all),
        input.columns.map(_.id),
        DefaultLeaves.of(input.columns),
      )

  private def copy(plan: CopyPlan, path: String): WrittenCopy = {
    val conf = WriteHadoopConf.forFiles(settings, spec.config)
    val format = CopyFormats.of(spec.config)
    if (input.sort.isEmpty) new RowCopier(files, plan, format, conf).write(path)
    else {
      val reordered = new ReorderedCopy(files, plan, format, conf)
      new SortedRowWriter(spec, input, reordered, readConf).write(path)
    }
  }
}

private[maintenance] object ExactRowWriter {

  /** Reads the footers of the files. Errors: UnreadableFile, EncryptedLake. */
  def sources(spec: CompactionSpec, input: CompactionInput, conf: Configuration): SourceFiles =
    SourceFiles.read(input.parts.map(source(_, spec, input, conf)), spec.table, conf)

  private def source(
      part: FilePart,
      spec: CompactionSpec,
      input: CompactionInput,
      conf: Configuration,
  ): SourceFile =
    SourceFile(
      part.path,
      part.filename,
      part.sizeBytes,
      part.knownFooter,
      part.recordCount,
      part.rowIdStart,
      part.begin,
      part.visibility,
      part.mapping.flatMap(spec.mappings.get),
      part.constants.keySet,
      () => input.deletes(part, spec.lastDelete, conf),
      part.encrypted,
    )
}
