package ducklake.spark.moving.iceberg

import ducklake.catalog.option.MoveOrigin
import ducklake.files.foreign.NamedId
import ducklake.spark.moving.ExportMark
import ducklake.spark.moving.MovableSource
import ducklake.spark.moving.SharedFiles
import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceRows
import ducklake.spark.moving.SourceStep
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.SourceVersion
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.BaseTable
import org.apache.iceberg.Schema
import org.apache.iceberg.TableProperties
import org.apache.iceberg.mapping.MappedFields
import org.apache.iceberg.mapping.NameMappingParser
import org.apache.iceberg.util.PropertyUtil
import org.apache.iceberg.util.SnapshotUtil

import scala.jdk.CollectionConverters.IterableHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala

/** Reads tables of Iceberg with Iceberg's library. */
private[moving] object IcebergSource {

  /** @param source a metadata file, the folder of a table, or a name in a catalog of the session
    * @param table the new table, for messages
    *
    * Errors: Unsupported without the library; InvalidArgument when there is no table;
    * UnreadableFile for metadata that cannot be read.
    */
  def open(
      source: String,
      table: String,
      shared: SharedFiles,
      conf: Configuration,
  ): MovableSource =
    IcebergLibrary.using {
      val found = SessionTable.find(source)
      val opened = found.getOrElse(new IcebergMetadata(conf).open(source, table))
      new IcebergSource(opened, shared, conf)
    }

  private val Format = "iceberg"

  /** A snapshot, or none in a table that never had rows, and a schema. */
  private val version = """(none|-?\d+)\.(\d+)""".r
}

private final class IcebergSource(source: BaseTable, shared: SharedFiles, conf: Configuration)
    extends MovableSource {

  private val metadata = source.operations.current

  override def now: SourceTable =
    read(source.schema, Option(source.currentSnapshot).map(_.snapshotId)).copy(origin = origin)

  private def origin: Option[MoveOrigin] = {
    val snapshot = Option(source.currentSnapshot).map(_.snapshotId)
    val text = s"${snapshot.fold("none")(_.toString)}.${metadata.currentSchemaId}"
    val id = Option(metadata.uuid).getOrElse(source.location)
    Some(MoveOrigin(IcebergSource.Format, text, id))
  }

  private def read(schema: Schema, snapshot: Option[Long]): SourceTable =
    shown(schema).table(snapshot)

  private def shown(schema: Schema): IcebergVersion =
    new IcebergVersion(source, schema, names, owners)

  /** Who else the files belong to. The procedure `snapshot` of Iceberg, which makes a table over the
    * files of another one, sets the property, and so do catalogs with branches.
    */
  private val owners: Vector[String] = {
    val isExport = metadata.snapshots.asScala.exists(_.summary.containsKey(ExportMark.Summary))
    val isSwept =
      PropertyUtil.propertyAsBoolean(source.properties, TableProperties.GC_ENABLED, true)
    if (isExport) Vector(ExportMark.refusal)
    else if (isSwept) Vector.empty
    else shared.refused(Vector("gc.enabled = false says that other tables may have its files"))
  }

  /** Files that Iceberg has not written may have no field ids. */
  private lazy val names: Map[String, NamedId] =
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

  override def steps(history: SourceHistory): Iterator[SourceStep] =
    new IcebergSteps(source)
      .of(history.versions.map(version => version -> located(version)))
      .map { step =>
        if (step.version == history.versions.last)
          step.copy(source = step.source.copy(origin = origin))
        else step
      }

  private def located(version: SourceVersion): IcebergPlace = version.version match {
    case IcebergSource.version(snapshot, schema) =>
      val known = Option(metadata.schemasById.get(schema.toInt)).getOrElse {
        SourceHistory.unreadable(version, "its schema is gone")
      }
      IcebergPlace(snapshot.toLongOption, shown(known))
    case other => SourceHistory.unreadable(version, s"`$other` is no version of Iceberg")
  }

  private def isBefore(snapshot: Long): Boolean =
    Option(source.currentSnapshot).nonEmpty && SnapshotUtil.isAncestorOf(source, snapshot)

  private def gone(snapshot: Long): String =
    if (Option(source.snapshot(snapshot)).isEmpty)
      s"its snapshot $snapshot, which moved last, has expired there, or its history was replaced"
    else s"it was rolled back to before its snapshot $snapshot, which moved last"
}
