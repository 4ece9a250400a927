package ducklake.spark.maintenance.add

import ducklake.catalog.change.statistics.PackedStatistics
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.registration.FileColumn
import ducklake.catalog.registration.FileFacts
import ducklake.catalog.registration.FileRegistration
import ducklake.catalog.registration.MatchedLeaf
import ducklake.catalog.registration.Refusal
import ducklake.catalog.registration.Registrable
import ducklake.catalog.registration.RegistrationRequest
import ducklake.files.foreign.ExistingFile
import ducklake.files.foreign.NamedId
import ducklake.files.foreign.UnreadAnnotation
import ducklake.spark.job.LakeJob
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** @param table the table's name for messages
  * @param columns how the columns of a file are matched with those of the table
  */
private[spark] final case class FootersSpec(
    table: String,
    request: RegistrationRequest,
    columns: ColumnMatching = ColumnMatching.ByName,
)

/** How the columns of a file are matched with those of a table. */
private[spark] sealed trait ColumnMatching

private[spark] object ColumnMatching {
  case object ByName extends ColumnMatching

  /** By field ids.
    *
    * @param names the table's columns and their parts: the name of each, by its id
    * @param mapped the ids that names stand for in files without ids
    */
  final case class ById(names: Map[Int, String], mapped: Map[String, NamedId])
      extends ColumnMatching

  /** By the names that the columns of the request have in the files of another format. A partition
    * key whose column a file lacks has the value that the format's metadata state.
    *
    * @param ids the names by field id, when the format finds columns by their ids; else empty
    */
  final case class ByStoredName(ids: Map[Int, String]) extends ColumnMatching
}

/** @param path in DuckDB's spelling
  * @param opened in Hadoop's form
  * @param known what the metadata of another format says of the file
  */
private[spark] final case class CandidateFile(
    position: Int,
    path: String,
    opened: String,
    known: Option[KnownContent] = None,
)

/** @param recordCount None when it is not known
  * @param partition the values of the table's partition keys; None for a file that has none
  * @param stated the ids of columns whose one value the metadata gives, and the file perhaps not
  */
private[spark] final case class KnownContent(
    recordCount: Option[Long],
    partition: Option[Vector[Option[String]]],
    stated: Set[Int] = Set.empty,
)

/** Reads the footers of many files by Spark tasks. */
private[spark] object FootersJob {

  /** Errors: StatementInterrupted; errors of tasks are Spark's exceptions, with our error as their
    * cause.
    */
  def run(lake: SessionLake, spec: FootersSpec, files: Vector[CandidateFile]): FileOutcomes = {
    val session = SparkSession.active
    val conf = WriteHadoopConf.ofSession(session, lake.config.hadoop)
    val description = s"Adding files to ${spec.table}: footers of ${files.size} files"
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
        .filter(_ => file.known.isEmpty)
        .map(ofLake)
        .orElse(existing.unreadableCodec.map(compressed))
        .orElse(existing.splitColumn.map(encoded))
        .orElse(existing.oldColumn.filter(_ => file.known.isEmpty).map(dated))
        .orElse(existing.oldMillis.filter(_ => isReadByCalendar(spec.columns)).map(inMillis))
        .orElse(existing.unreadAnnotation.map(annotated))
        .orElse(file.known.flatMap(miscounted(_, existing))) match {
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

  private def miscounted(known: KnownContent, file: ExistingFile): Option[Refusal] =
    known.recordCount.filter(_ != file.recordCount).map { count =>
      Refusal(
        s"has ${file.recordCount} rows, and its table says $count",
        "The table does not describe its files.",
      )
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

  private def encoded(column: String): Refusal =
    Refusal(
      s"has BYTE_STREAM_SPLIT in column `$column`, which DuckDB reads for floating numbers only",
      "Write it again with another encoding, or insert its rows.",
    )

  private def dated(column: String): Refusal =
    Refusal(
      s"has values of the old calendar in column `$column`, or may have them: Spark and DuckDB " +
        "read different dates",
      "Insert its rows instead: INSERT INTO … SELECT * FROM parquet.`…`",
    )

  private def inMillis(column: String): Refusal =
    Refusal(
      s"has instants of the old calendar in column `$column`, or may have them, in milliseconds, " +
        "which Spark alone reads",
      "Write it again with Spark, or insert its rows.",
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
    val partition = file.known.flatMap(_.partition)
    val keys = if (file.known.nonEmpty && partition.isEmpty) Vector.empty else spec.request.keys
    val request = spec.request.copy(keys = keys)
    val statistics = (leaf: MatchedLeaf) => existing.statistics(leaf.ordinal, leaf.fileType)
    val facts =
      FileFacts(file.path, existing.recordCount, Vector.empty, statistics, partition)
    val matched = spec.columns match {
      case ColumnMatching.ByStoredName(ids) => stored(request, facts, existing, ids)
      case ColumnMatching.ByName =>
        matching(request, facts, FoundColumns(existing.columns, Some(_)))
      case ColumnMatching.ById(names, mapped) =>
        for {
          columns <- byId(names, mapped, existing)
          _ <- absent(names, file, columns).toLeft(())
          found <- matching(request, facts, columns)
        } yield found
    }
    matched match {
      case Left(refusal) => refused(file, refusal)
      case Right(_) if existing.recordCount == 0 => FileOutcomes.none
      case Right(MatchedFile(found, mapping, needsRewrite)) =>
        val isOld = isReadByCalendar(spec.columns) && existing.oldColumn.nonEmpty
        val accepted = AcceptedFile(
          file.position,
          mapping.map(_ => 0),
          existing.recordCount,
          existing.physical,
          found.partition,
          PackedStatistics.of(found.statistics),
          needsRewrite || existing.lakeColumn.nonEmpty || isOld,
          isOld,
        )
        FileOutcomes(mapping.toVector, Vector(accepted), None)
    }
  }

  /** Iceberg's readers know no old calendar, as DuckDB. */
  private def isReadByCalendar(columns: ColumnMatching): Boolean = columns match {
    case ColumnMatching.ByStoredName(_) => true
    case ColumnMatching.ByName | ColumnMatching.ById(_, _) => false
  }

  private def stored(
      request: RegistrationRequest,
      facts: FileFacts,
      existing: ExistingFile,
      ids: Map[Int, String],
  ): Either[Refusal, MatchedFile] =
    StoredFile(request, facts).of(existing, ids).map { case (found, needsRewrite) =>
      MatchedFile(found, Some(found.mapping), needsRewrite)
    }

  private def matching(
      request: RegistrationRequest,
      facts: FileFacts,
      columns: FoundColumns,
  ): Either[Refusal, MatchedFile] =
    new FileRegistration(request).of(facts.copy(columns = columns.columns)).map { found =>
      MatchedFile(found, columns.mapping(found.mapping), needsRewrite = false)
    }

  private def byId(
      names: Map[Int, String],
      mapped: Map[String, NamedId],
      existing: ExistingFile,
  ): Either[Refusal, FoundColumns] =
    existing.columnsByName(names, mapped) match {
      case Some((found, sources)) =>
        Right(FoundColumns(found, mapping => Some(FoundColumns.named(mapping, sources))))
      case None =>
        existing.columnsById(names).map(FoundColumns(_, _ => None)).left.map(withoutId)
    }

  /** Why a file cannot be taken that lacks a column, and whose rows have a value there all the same.
    */
  private def absent(
      names: Map[Int, String],
      file: CandidateFile,
      found: FoundColumns,
  ): Option[Refusal] =
    file.known.toVector
      .flatMap(_.stated)
      .flatMap(names.get)
      .sorted
      .find(name => !found.columns.exists(_.name == name))
      .map { name =>
        Refusal(
          s"lacks the column `$name`, whose value is in the metadata of its table alone",
          "Let the engine of the table write its files again, or insert its rows.",
        )
      }

  private[add] def withoutId(field: String): Refusal =
    Refusal(
      s"has no usable field id at `$field`",
      "Rewrite the file with its own engine, or insert its rows.",
    )
}

/** A file whose columns are those of the table.
  *
  * @param mapping the name mapping that it needs
  */
private final case class MatchedFile(
    found: Registrable,
    mapping: Option[Vector[MappedColumn]],
    needsRewrite: Boolean,
)

/** @param mapping the name mapping that the file needs, by that of the columns */
private final case class FoundColumns(
    columns: Vector[FileColumn],
    mapping: Vector[MappedColumn] => Option[Vector[MappedColumn]],
)

private object FoundColumns {

  /** The mapping with the names that the fields have in the file. The parts of lists and maps keep
    * theirs.
    *
    * @param sources by the ids of the columns
    */
  def named(mapping: Vector[MappedColumn], sources: Map[Int, String]): Vector[MappedColumn] =
    mapping.map { each =>
      val children = named(each.children, sources)
      sources
        .get(Math.toIntExact(each.target.value))
        .fold(each)(name => each.copy(sourceName = name))
        .copy(children = children)
    }
}
