package ducklake.spark.moving.iceberg

import ducklake.catalog.option.MoveOrigin
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.text.ValueText
import ducklake.files.foreign.NamedId
import ducklake.spark.moving.MovableSource
import ducklake.spark.moving.NamesInFiles
import ducklake.spark.moving.SourceDeletes
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceKey
import ducklake.spark.moving.SourceRows
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.SourceTransform
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.BaseTable
import org.apache.iceberg.DeleteFile
import org.apache.iceberg.FileContent
import org.apache.iceberg.FileFormat
import org.apache.iceberg.FileScanTask
import org.apache.iceberg.PartitionField
import org.apache.iceberg.Schema
import org.apache.iceberg.TableProperties
import org.apache.iceberg.io.CloseableIterable
import org.apache.iceberg.mapping.MappedFields
import org.apache.iceberg.mapping.NameMappingParser
import org.apache.iceberg.util.SnapshotUtil

import scala.jdk.CollectionConverters.IterableHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

/** Reads tables of Iceberg with Iceberg's library. */
private[moving] object IcebergSource {

  /** @param source a metadata file, the folder of a table, or a name in a catalog of the session
    * @param table the new table, for messages
    *
    * Errors: Unsupported without the library; InvalidArgument when there is no table;
    * UnreadableFile for metadata that cannot be read.
    */
  def open(source: String, table: String, conf: Configuration): MovableSource =
    IcebergLibrary.using {
      val found = SessionTable.find(source)
      new IcebergSource(found.getOrElse(new IcebergMetadata(conf).open(source, table)), conf)
    }

  private val Format = "iceberg"

  /** A snapshot, or none in a table that never had rows, and a schema. */
  private val version = """(none|-?\d+)\.(\d+)""".r
}

private final class IcebergSource(source: BaseTable, conf: Configuration) extends MovableSource {

  private val metadata = source.operations.current

  override def now: SourceTable = {
    val snapshot = Option(source.currentSnapshot).map(_.snapshotId)
    val text = s"${snapshot.fold("none")(_.toString)}.${metadata.currentSchemaId}"
    val id = Option(metadata.uuid).getOrElse(source.location)
    read(source.schema, snapshot)
      .copy(origin = Some(MoveOrigin(IcebergSource.Format, text, id)))
  }

  private def read(schema: Schema, snapshot: Option[Long]): SourceTable =
    new IcebergVersion(source, schema, snapshot).table.copy(names = NamesInFiles.FieldIds(names))

  /** Files that Iceberg has not written may have no field ids. */
  private def names: Map[String, NamedId] =
    Option(metadata.properties.get(TableProperties.DEFAULT_NAME_MAPPING))
      .fold(Map.empty[String, NamedId]) { json =>
        named(NameMappingParser.fromJson(json).asMappedFields)
      }

  private def named(fields: MappedFields): Map[String, NamedId] =
    Option(fields).toVector
      .flatMap(_.fields.asScala)
      .flatMap { field =>
        val below = named(field.nestedMapping)
        field.names.asScala.map(_ -> NamedId(Option(field.id).map(_.intValue), below))
      }
      .toMap

  override def at(version: String): Either[String, SourceTable] =
    version match {
      case IcebergSource.version(snapshot, schema) =>
        val id = snapshot.toLongOption
        Option(metadata.schemasById.get(schema.toInt))
          .toRight("its schema of the last move is gone")
          .filterOrElse(_ => id.forall(isBefore), id.fold("")(gone))
          .map(read(_, id))
      case _ => Left(s"its version `$version` is not one of Iceberg")
    }

  override def rows: SourceRows =
    IcebergLibrary.reading(new IcebergRows(source, conf))

  override def history: SourceHistory = IcebergHistory.of(source)

  private def isBefore(snapshot: Long): Boolean =
    Option(source.currentSnapshot).nonEmpty && SnapshotUtil.isAncestorOf(source, snapshot)

  private def gone(snapshot: Long): String =
    if (Option(source.snapshot(snapshot)).isEmpty)
      s"its snapshot $snapshot, which moved last, has expired there, or its history was replaced"
    else s"it was rolled back to before its snapshot $snapshot, which moved last"
}

/** @param schema whose columns the table has
  * @param snapshot whose files it has
  */
private final class IcebergVersion(source: BaseTable, schema: Schema, snapshot: Option[Long]) {

  private val metadata = source.operations.current
  private val found = IcebergColumns.of(schema.columns.asScala.toSeq)
  private val fields = source.spec.fields.asScala.toVector
  private val kinds = fields.map(field => kind(field))
  private val equality = new IcebergEquality(metadata.schemas.asScala.toVector)

  def table: SourceTable = {
    val (files, refused) = scanned
    SourceTable(
      source.location,
      found.columns,
      NamesInFiles.FieldIds(Map.empty),
      ColumnId(metadata.lastColumnId.toLong),
      fields.zip(kinds).map { case (field, transform) => key(field, transform) },
      files,
      newFormat.toVector ++ encrypted ++ found.refused ++ refused,
      sorted.toVector,
    )
  }

  private def newFormat: Option[String] =
    Option.when(metadata.formatVersion > IcebergVersion.NewestFormat) {
      s"it has the format version ${metadata.formatVersion}"
    }

  private def encrypted: Option[String] =
    Option.when(!metadata.encryptionKeys.isEmpty)("it is encrypted")

  private def sorted: Option[String] =
    Option.when(!source.sortOrder.isUnsorted) {
      "the sort order: set it by SET SORTED BY"
    }

  private def key(field: PartitionField, transform: SourceTransform): SourceKey = {
    val column = found.columns.find(_.id.value == field.sourceId.toLong)
    val name = column.fold(field.name)(_.name)
    SourceKey(s"${field.transform}($name)", column.map(_.id), transform)
  }

  private def kind(field: PartitionField): SourceTransform = field.transform.toString match {
    case "identity" => SourceTransform.Same(Transform.Identity)
    case "year" => SourceTransform.Same(Transform.Epoch(Transform.Year))
    case "month" => SourceTransform.Same(Transform.Epoch(Transform.Month))
    case "day" => SourceTransform.Same(Transform.Epoch(Transform.Day))
    case "hour" => SourceTransform.Same(Transform.Epoch(Transform.Hour))
    case IcebergVersion.bucket(count) =>
      count.toIntOption.fold[SourceTransform](SourceTransform.Other) { number =>
        SourceTransform.Same(Transform.Bucket(number))
      }
    case _ => SourceTransform.Other
  }

  /** The files, and what of them a lake cannot have, each reason once with the number of files. */
  private def scanned: (Vector[SourceFile], Vector[String]) =
    Using.resource(tasksOf) { tasks =>
      val files = Vector.newBuilder[SourceFile]
      val problems = Vector.newBuilder[String]
      tasks.asScala.foreach { task =>
        problems ++= problemsOf(task)
        files += file(task)
      }
      val counted = problems.result().groupMapReduce(identity)(_ => 1)(_ + _)
      (files.result(), counted.toVector.sorted.map { case (why, count) => s"$count $why" })
    }

  private def tasksOf: CloseableIterable[FileScanTask] =
    snapshot.fold(CloseableIterable.empty[FileScanTask]) { id =>
      source.newScan().useSnapshot(id).planFiles()
    }

  private def problemsOf(task: FileScanTask): Vector[String] = {
    val format = task.file.format
    val data = Option.when(format != FileFormat.PARQUET)(s"data files of the format $format")
    data.toVector ++ task.deletes.asScala.flatMap(problemOf).distinct
  }

  private def problemOf(deletes: DeleteFile): Option[String] =
    (deletes.content, deletes.format) match {
      case (FileContent.EQUALITY_DELETES, FileFormat.PARQUET) => equality.problem(deletes)
      case (FileContent.EQUALITY_DELETES, other) =>
        Some(s"data files with equality deletes of the format $other")
      case (_, FileFormat.PARQUET | FileFormat.PUFFIN) => None
      case (_, other) => Some(s"data files with position deletes of the format $other")
    }

  private def file(task: FileScanTask): SourceFile = {
    val file = task.file
    val partition = Option.when(file.specId == source.spec.specId) {
      fields.indices.toVector.map { at =>
        Option(file.partition.get(at, classOf[Object])).flatMap(text(at, _))
      }
    }
    SourceFile(
      file.location,
      file.fileSizeInBytes,
      Some(file.recordCount),
      partition,
      task.deletes.asScala.toVector.map(deletes),
    )
  }

  /** The value of a key as a lake stores it. Buckets and ordinals are numbers. */
  private def text(at: Int, value: Object): Option[String] = kinds(at) match {
    case SourceTransform.Same(Transform.Identity) =>
      columnOf(fields(at)).flatMap { column =>
        column.dataType match {
          case known: LakeType.Primitive =>
            IcebergValues.literal(value, known).flatMap(ValueText.print(_, known))
          case _: LakeType.Nested => None
        }
      }
    case _ => Some(value.toString)
  }

  private def columnOf(field: PartitionField): Option[Column] =
    found.columns.find(_.id.value == field.sourceId.toLong)

  private def deletes(file: DeleteFile): SourceDeletes = (file.content, file.format) match {
    case (FileContent.EQUALITY_DELETES, _) =>
      SourceDeletes.Equality(file.location, file.fileSizeInBytes, equality.columns(file))
    case (_, FileFormat.PUFFIN) =>
      SourceDeletes.DeletionVector(file.location, file.contentOffset, file.contentSizeInBytes)
    case _ => SourceDeletes.Positions(file.location, file.fileSizeInBytes)
  }
}

private object IcebergVersion {

  /** Newer formats have other ways to name files and deletes. */
  private val NewestFormat = 3

  private val bucket = """bucket\[(\d+)\]""".r
}
