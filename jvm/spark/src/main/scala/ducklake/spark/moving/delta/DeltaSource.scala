package ducklake.spark.moving.delta

import ducklake.catalog.option.MoveOrigin
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.text.ValueText
import ducklake.spark.moving.ExportMark
import ducklake.spark.moving.FileProblems
import ducklake.spark.moving.LostDefinitions
import ducklake.spark.moving.MovableSource
import ducklake.spark.moving.MoveConsent
import ducklake.spark.moving.NamesInFiles
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceFolder
import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceKey
import ducklake.spark.moving.SourceRows
import ducklake.spark.moving.SourceStep
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.SourceTransform
import io.delta.kernel.Snapshot
import io.delta.kernel.Table
import io.delta.kernel.data.Row
import io.delta.kernel.defaults.engine.DefaultEngine
import io.delta.kernel.engine.Engine
import io.delta.kernel.exceptions.KernelException
import io.delta.kernel.internal.util.ColumnMapping
import io.delta.kernel.internal.util.ColumnMapping.ColumnMappingMode
import org.apache.hadoop.conf.Configuration

import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala
import scala.jdk.CollectionConverters.MapHasAsScala
import scala.util.Using

/** Reads tables of Delta with Delta's Kernel. */
private[moving] object DeltaSource {

  /** @param source the folder of a table, or a name in a catalog of the session
    * @param table the new table, for messages
    *
    * Errors, also of its versions: Unsupported without the library, and for a table that it refuses;
    * InvalidArgument when there is no table; UnreadableFile for a log that cannot be read.
    */
  def open(
      source: String,
      table: String,
      consent: MoveConsent,
      conf: Configuration,
  ): MovableSource =
    new MovableSource {
      private lazy val folder = NamedDelta.folder(source).getOrElse(source)
      private def using[A](body: => A): A = DeltaLibrary.using(folder, table)(body)
      private lazy val found = using(new DeltaVersions(folder, consent, conf))
      override def now: SourceTable = found.now
      override def rows: SourceRows = using(found.rows)
      override def at(version: String): Either[String, SourceTable] = using(found.at(version))
      override def history: SourceHistory = using(found.history)
      override def steps(history: SourceHistory): Iterator[SourceStep] = {
        val all = using(found.steps(history))
        new Iterator[SourceStep] {
          override def hasNext: Boolean = using(all.hasNext)
          override def next(): SourceStep = using(all.next())
        }
      }
    }
}

/** Apart from [[DeltaSource]], which is loaded in sessions without the library, too. */
private final class DeltaVersions(
    source: String,
    consent: MoveConsent,
    conf: Configuration,
) {

  private val engine = DefaultEngine.create(conf)
  private val folder = SourceFolder.of(source)
  private val log = Table.forPath(engine, folder.opened)
  private val newest = log.getLatestSnapshot(engine)

  private val origin: MoveOrigin =
    MoveOrigin(DeltaVersions.Format, newest.getVersion.toString, newest.getMetadata.getId)

  lazy val now: SourceTable = reader(newest).table.copy(origin = Some(origin))

  def rows: SourceRows =
    new DeltaRows(folder.opened, newest.getVersion, now.files.size, conf)

  def at(version: String): Either[String, SourceTable] =
    version.toLongOption match {
      case Some(number) if number > newest.getVersion =>
        Left(s"it was rolled back to before its version $number, which moved last")
      case Some(number) =>
        try Right(reader(log.getSnapshotAsOfVersion(engine, number)).table)
        catch {
          case gone: KernelException =>
            val why = gone.getMessage.stripSuffix(".")
            Left(s"its version $number, which moved last, cannot be read any more: $why")
        }
      case None => Left(s"its version `$version` is not one of Delta")
    }

  def history: SourceHistory = DeltaHistory.of(engine, folder.opened, newest)

  /** The last version, which is the current one, says what the lake remembers. */
  def steps(history: SourceHistory): Iterator[SourceStep] = {
    val readable = (number: Long) =>
      if (number == newest.getVersion) newest else log.getSnapshotAsOfVersion(engine, number)
    val found = new DeltaSteps(engine, folder, number => reader(readable(number)))
    found.of(history.versions).map { step =>
      if (step.version == history.versions.last)
        step.copy(source = step.source.copy(origin = Some(origin)))
      else step
    }
  }

  private def reader(snapshot: Snapshot): DeltaReader =
    new DeltaReader(folder, engine, snapshot, consent)
}

private object DeltaVersions {
  private val Format = "delta"
}

/** Reads a version of a table. */
private[delta] final class DeltaReader(
    folder: SourceFolder,
    engine: Engine,
    snapshot: Snapshot,
    consent: MoveConsent,
) {

  private val configuration = snapshot.getMetadata.getConfiguration
  private val mode = ColumnMapping.getColumnMappingMode(configuration)
  private val found = DeltaColumns.of(snapshot.getSchema, lastId)
  private val keys = snapshot.getPartitionColumnNames.asScala.toVector.map { name =>
    found.columns.indexWhere(_.name.equalsIgnoreCase(name))
  }

  /** The address of the table. */
  val root: String = snapshot.getDataPath.toUri.toString

  def table: SourceTable = {
    val found = files
    shape(FileProblems.of(found)).copy(files = found.map(_._1))
  }

  /** The table without its files. */
  def shape(problems: FileProblems): SourceTable = {
    val extra = found.definitions ++ DeltaDefinitions.of(configuration.asScala.toMap)
    val isDropped = consent.definitions == LostDefinitions.Dropped
    SourceTable(
      folder.path,
      found.columns,
      NamesInFiles.Stored(
        found.stored,
        if (mode == ColumnMappingMode.ID) found.ids else Map.empty,
      ),
      found.lastColumn,
      keys.map(at => key(found.columns(at))),
      Vector.empty,
      exported.toVector ++ found.refused ++ keys.flatMap(at =>
        unusable(found.columns(at))
      ) ++ problems.texts ++
        (if (isDropped) Vector.empty else extra),
      clustered.toVector ++ (if (isDropped) extra else Vector.empty),
    )
  }

  private val exported: Option[String] =
    Option.when(snapshot.getProtocol.getWriterFeatures.contains(ExportMark.Feature)) {
      ExportMark.refusal
    }

  /** The greatest id of the column mapping. */
  private def lastId: Long =
    Option(configuration.get("delta.columnMapping.maxColumnId")).fold(0L)(_.toLong)

  private def clustered: Option[String] =
    Option.when(snapshot.getClusteringColumnInfos.isPresent)("the clustering: set it by CLUSTER BY")

  private def key(column: Column): SourceKey =
    SourceKey(column.name, Some(column.id), SourceTransform.Same(Transform.Identity))

  private def unusable(column: Column): Option[String] =
    column.dataType match {
      case known: LakeType.Primitive
          if known != LakeType.Blob && TransformValue.accepts(Transform.Identity, known) =>
        None
      case _ => Some(s"partition column `${column.name}` has a type that no key of a lake has")
    }

  /** The files, each with what of it a lake cannot have. */
  def files: Vector[(SourceFile, Vector[String])] =
    Using.resource(snapshot.getScanBuilder.build().getScanFiles(engine, true)) { batches =>
      batches.asScala
        .flatMap(batch => Using.resource(batch.getRows)(_.asScala.map(file).toVector))
        .toVector
    }

  /** @param row of the scan's files, with statistics */
  def file(row: Row): (SourceFile, Vector[String]) = {
    val added = DeltaFile(row)
    val values = keys.map { at =>
      added.partition.get(found.stored(at).name).map(text(found.columns(at), _))
    }
    val problems = values.collect { case Some(Left(why)) => why }
    val partition = values.map(_.flatMap(_.toOption))
    val owners =
      if (added.isElsewhere && exported.isEmpty) consent.shared.refused(DeltaReader.elsewhere)
      else Vector.empty
    (
      SourceFile(
        folder.spelled(added.path),
        added.sizeBytes,
        added.recordCount,
        Some(partition),
        added.deletes.toVector,
      ),
      owners ++ problems,
    )
  }

  /** The text of a partition value as a lake stores it. Errors: why the file cannot be moved. */
  private def text(column: Column, value: String): Either[String, String] =
    column.dataType match {
      case LakeType.TimestampTz if !value.endsWith("Z") =>
        Left(s"data files whose value of partition column `${column.name}` has no time zone")
      case known: LakeType.Primitive =>
        ValueText
          .parseCast(value, known)
          .flatMap(ValueText.print(_, known))
          .toRight(s"data files with an unknown value of partition column `${column.name}`")
      case _: LakeType.Nested => Left(s"data files with a value of column `${column.name}`")
    }
}

private object DeltaReader {

  /** As files of a shallow clone are. */
  private val elsewhere = Vector(
    "data files outside of its folder, which may belong to another table, as those of a clone do"
  )
}
