package ducklake.spark.maintenance.add

import ducklake.catalog.change.statistics.PackedStatistics
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.registration.FileFacts
import ducklake.catalog.registration.FileRegistration
import ducklake.catalog.registration.Refusal
import ducklake.catalog.registration.RegistrationRequest
import ducklake.files.foreign.ExistingFile
import ducklake.files.foreign.UnreadAnnotation
import ducklake.spark.job.LakeJob
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** @param table the table's name for messages */
private[add] final case class FootersSpec(table: String, request: RegistrationRequest)

/** @param path in DuckDB's spelling
  * @param opened in Hadoop's form
  */
private[add] final case class CandidateFile(position: Int, path: String, opened: String)

/** Reads the footers of many files by Spark tasks. */
private[add] object FootersJob {

  /** Errors: StatementInterrupted; errors of tasks are Spark's exceptions, with our error as their
    * cause.
    */
  def run(lake: SessionLake, spec: FootersSpec, files: Vector[CandidateFile]): FileOutcomes = {
    val session = SparkSession.active
    val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
    val description = s"add_data_files to ${spec.table}: footers of ${files.size} files"
    val job = new LakeJob(session.sparkContext, description, "read the footers of files", conf)
    val parts = job.collect(job.divided(files, 1)) { (some, settings) =>
      some.map(outcome(spec, _, settings)).foldLeft(FileOutcomes.none)(_ ++ _)
    }
    parts.foldLeft(FileOutcomes.none)(_ ++ _)
  }

  /** A file that cannot be read is refused like other files, so that the first refused file is
    * named.
    */
  private def outcome(spec: FootersSpec, file: CandidateFile, conf: Configuration): FileOutcomes =
    try {
      val existing = ExistingFile.read(file.opened, spec.table, conf)
      existing.lakeColumn
        .map(ofLake)
        .orElse(existing.unreadableCodec.map(compressed))
        .orElse(existing.unreadAnnotation.map(annotated)) match {
        case Some(refusal) => refused(file, refusal)
        case None => checked(spec, file, existing)
      }
    } catch {
      case failure: LakeException =>
        failure.error match {
          case LakeError.UnreadableFile(_, _, why, _) =>
            refused(file, Refusal(s"cannot be read: $why", "Leave the file out."))
          case _ => throw failure
        }
    }

  private def ofLake(column: String): Refusal =
    Refusal(
      s"was written by a lake, and has its row ids or snapshots in the column `$column`",
      "Insert its rows instead.",
    )

  private def compressed(codec: String): Refusal =
    Refusal(
      s"is compressed by $codec, which DuckDB or Spark does not read",
      "Write it again with zstd, snappy or gzip.",
    )

  private def annotated(found: UnreadAnnotation): Refusal =
    Refusal(
      s"annotates the column `${found.column}` as ${found.name}, which DuckDB does not read",
      "Write it again in another form, or insert its rows.",
    )

  private def refused(file: CandidateFile, refusal: Refusal): FileOutcomes =
    FileOutcomes(
      Vector.empty,
      Vector.empty,
      Some(RefusedFile(file.position, file.path, refusal)),
    )

  /** A file without rows is checked, and not registered. */
  private def checked(
      spec: FootersSpec,
      file: CandidateFile,
      existing: ExistingFile,
  ): FileOutcomes = {
    val facts = FileFacts(
      file.path,
      existing.recordCount,
      existing.columns,
      leaf => existing.statistics(leaf.ordinal, leaf.fileType),
    )
    new FileRegistration(spec.request).of(facts) match {
      case Left(refusal) => refused(file, refusal)
      case Right(_) if existing.recordCount == 0 => FileOutcomes.none
      case Right(found) =>
        val accepted = AcceptedFile(
          file.position,
          0,
          existing.recordCount,
          existing.physical,
          found.partition,
          PackedStatistics.of(found.statistics),
        )
        FileOutcomes(Vector(found.mapping), Vector(accepted), None)
    }
  }
}
