package ducklake.spark.moving.iceberg

import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.text.ValueText
import ducklake.files.foreign.NamedId
import ducklake.spark.moving.FileProblems
import ducklake.spark.moving.NamesInFiles
import ducklake.spark.moving.SourceDeletes
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceKey
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.SourceTransform
import org.apache.iceberg.BaseTable
import org.apache.iceberg.DataFile
import org.apache.iceberg.DeleteFile
import org.apache.iceberg.FileContent
import org.apache.iceberg.FileFormat
import org.apache.iceberg.PartitionField
import org.apache.iceberg.Schema

import scala.jdk.CollectionConverters.IterableHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

/** A table of Iceberg with the columns of one of its schemas.
  *
  * @param names that stand for ids in files without ids
  * @param owners why the files may belong to somebody else
  */
private[iceberg] final class IcebergVersion(
    source: BaseTable,
    schema: Schema,
    names: Map[String, NamedId],
    owners: Vector[String],
) {

  private val metadata = source.operations.current
  private val found = IcebergColumns.of(schema.columns.asScala.toSeq)
  private val fields = source.spec.fields.asScala.toVector
  private val kinds = fields.map(field => kind(field))
  private val equality = new IcebergEquality(metadata.schemas.asScala.toVector)

  /** @param snapshot whose files it has; None: without files */
  def table(snapshot: Option[Long]): SourceTable = {
    val found = snapshot.toVector.flatMap(planned).map { case (data, deletes) =>
      file(data, deletes)
    }
    shape(FileProblems.of(found)).copy(files = found.map(_._1))
  }

  /** The table without its files. */
  def shape(problems: FileProblems): SourceTable =
    SourceTable(
      source.location,
      found.columns,
      NamesInFiles.FieldIds(names),
      ColumnId(metadata.lastColumnId.toLong),
      fields.zip(kinds).map { case (field, transform) => key(field, transform) },
      Vector.empty,
      owners ++ newFormat ++ encrypted ++ found.refused ++ problems.texts,
      sorted.toVector,
    )

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

  /** The data files of a snapshot, each with its delete files. */
  def planned(snapshot: Long): Vector[(DataFile, Vector[DeleteFile])] =
    Using.resource(source.newScan().useSnapshot(snapshot).planFiles()) { tasks =>
      tasks.asScala.map(task => task.file -> task.deletes.asScala.toVector).toVector
    }

  /** A data file, with what of it a lake cannot have. */
  def file(data: DataFile, deletes: Vector[DeleteFile]): (SourceFile, Vector[String]) =
    (described(data, deletes), problemsOf(data, deletes))

  private def problemsOf(data: DataFile, deletes: Vector[DeleteFile]): Vector[String] = {
    val format = data.format
    val other = Option.when(format != FileFormat.PARQUET)(s"data files of the format $format")
    other.toVector ++ deletes.flatMap(problemOf).distinct
  }

  private def problemOf(deletes: DeleteFile): Option[String] =
    (deletes.content, deletes.format) match {
      case (FileContent.EQUALITY_DELETES, FileFormat.PARQUET) => equality.problem(deletes)
      case (FileContent.EQUALITY_DELETES, other) =>
        Some(s"data files with equality deletes of the format $other")
      case (_, FileFormat.PARQUET | FileFormat.PUFFIN) => None
      case (_, other) => Some(s"data files with position deletes of the format $other")
    }

  private def described(file: DataFile, found: Vector[DeleteFile]): SourceFile = {
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
      found.map(one => once.computeIfAbsent(one, deletes(_))),
      stated(file),
    )
  }

  /** Files that came to Iceberg from folders lack the columns of the folders' names. */
  private def stated(file: DataFile): Set[Int] =
    source.specs
      .get(file.specId)
      .fields
      .asScala
      .zipWithIndex
      .collect {
        case (field, at)
            if field.transform.isIdentity && Option(
              file.partition.get(at, classOf[Object])
            ).nonEmpty =>
          field.sourceId
      }
      .toSet

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

  /** A delete file may concern all data files: all of them share one description of it, or the driver
    * would hold one for each pair.
    */
  private val once = new java.util.IdentityHashMap[DeleteFile, SourceDeletes]

  private def deletes(file: DeleteFile): SourceDeletes = (file.content, file.format) match {
    case (FileContent.EQUALITY_DELETES, _) =>
      SourceDeletes.Equality(file.location, file.fileSizeInBytes, equality.columns(file))
    case (_, FileFormat.PUFFIN) =>
      SourceDeletes.DeletionVector(
        file.location,
        file.contentOffset,
        file.contentSizeInBytes,
        file.recordCount,
      )
    case _ => SourceDeletes.Positions(file.location, file.fileSizeInBytes)
  }
}

private object IcebergVersion {

  /** Newer formats have other ways to name files and deletes. */
  private val NewestFormat = 3

  private val bucket = """bucket\[(\d+)\]""".r
}
