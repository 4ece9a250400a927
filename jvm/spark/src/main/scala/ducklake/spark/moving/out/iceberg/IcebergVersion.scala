package ducklake.spark.moving.out.iceberg

import ducklake.catalog.model.DataFile
import ducklake.catalog.types.DataFileId
import ducklake.files.parquet.ReservedFields
import ducklake.spark.moving.ExportMark
import ducklake.spark.moving.out.ExportedTable
import org.apache.iceberg.BaseTable
import org.apache.iceberg.DataFiles
import org.apache.iceberg.DeleteFile
import org.apache.iceberg.FileFormat
import org.apache.iceberg.FileMetadata
import org.apache.iceberg.FileScanTask
import org.apache.iceberg.Metrics
import org.apache.iceberg.PartitionSpec
import org.apache.iceberg.SortOrder
import org.apache.iceberg.TableMetadata
import org.apache.iceberg.types.Conversions
import org.apache.iceberg.types.Types

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters.IterableHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala
import scala.jdk.CollectionConverters.MapHasAsJava
import scala.util.Using

/** The next version of a table of Iceberg: a snapshot with what changed since the last one.
  *
  * @param folder of the table, in DuckDB's spelling, with a separator at its end
  * @param last the metadata of the last version
  * @param format of the version, not below that of the last one
  */
private[iceberg] final class IcebergVersion(
    exported: ExportedTable,
    folder: String,
    last: Option[TableMetadata],
    format: IcebergFormat,
    files: IcebergFiles,
) {
  private val columns = exported.table.columns
  private val types = new IcebergTypes(format)
  private val statistics = new IcebergStatistics(columns, types)
  private val shown = types.schema(columns)

  private val base: TableMetadata = last.fold {
    TableMetadata
      .buildFromEmpty(format.number)
      .assignUUID(exported.table.uuid.toString)
      .setLocation(folder.stripSuffix("/"))
      .setCurrentSchema(shown, shown.highestFieldId)
      .setDefaultPartitionSpec(PartitionSpec.unpartitioned)
      .setDefaultSortOrder(SortOrder.unsorted)
      .setProperties(IcebergVersion.properties.asJava)
      .build()
  } { metadata =>
    if (metadata.formatVersion == format.number) metadata
    else TableMetadata.buildFrom(metadata).upgradeFormatVersion(format.number).build()
  }

  /** The metadata with the columns of the new version. */
  private val evolved: TableMetadata =
    if (base.schema.sameSchema(shown)) base
    else {
      val lastColumn = base.lastColumnId.max(shown.highestFieldId)
      TableMetadata.buildFrom(base).setCurrentSchema(shown, lastColumn).build()
    }

  private val staged = {
    val snapshot = exported.snapshot.id.value
    val start = format match {
      case IcebergFormat.Second => evolved
      case IcebergFormat.Third => IcebergLineage.numbered(evolved, snapshot)
    }
    new StagedMetadata(folder, start, files)
  }
  private val table = new BaseTable(staged, exported.name)

  /** The files of the last version, by path. */
  private val live: Map[String, FileScanTask] =
    if (evolved.currentSnapshot == null) Map.empty
    else
      Using.resource(table.newScan().planFiles()) { tasks =>
        tasks.asScala.map(task => task.file.location -> task).toMap
      }

  /** The delete file of each data file of the last version. */
  val knownDeletes: Map[String, String] = live.flatMap { case (path, task) =>
    task.deletes.asScala.headOption.map(deletes => path -> deletes.location)
  }

  val added: Vector[DataFile] = exported.files.filterNot(file => live.contains(file.path))

  private val gone: Vector[FileScanTask] = {
    val wanted = exported.files.map(_.path).toSet
    live.values.filterNot(task => wanted(task.file.location)).toVector
  }

  def removed: Int = gone.size

  /** The metadata of the next version; None when nothing has changed.
    *
    * @param deletes of the data files with deleted rows
    */
  def next(deletes: Map[DataFileId, IcebergDeleteFile]): Option[TableMetadata] = {
    val wanted = deletes.values.map(_.path).toSet
    val oldDeletes = live.values.flatMap(_.deletes.asScala).filterNot(one => wanted(one.location))
    val newDeletes = exported.files.flatMap { file =>
      deletes.get(file.id).flatMap(each => each.written.map(deleteFile(file, each, _)))
    }
    val isSame = added.isEmpty && gone.isEmpty && oldDeletes.isEmpty && newDeletes.isEmpty
    Option.unless(isSame && last.exists(_ eq evolved) && evolved.currentSnapshot != null) {
      val change = table.newRowDelta()
      Option(evolved.currentSnapshot).foreach(one => change.validateFromSnapshot(one.snapshotId))
      change.set(ExportMark.Summary, exported.snapshot.id.value.toString)
      added.foreach(file => change.addRows(dataFile(file)))
      gone.foreach(task => change.removeRows(task.file))
      newDeletes.foreach(change.addDeletes)
      oldDeletes.foreach(change.removeDeletes)
      change.commit()
      staged.current()
    }
  }

  private def dataFile(file: DataFile): org.apache.iceberg.DataFile =
    DataFiles
      .builder(PartitionSpec.unpartitioned)
      .withPath(file.path)
      .withFormat(FileFormat.PARQUET)
      .withFileSizeInBytes(file.sizeBytes)
      .withMetrics(
        statistics.of(file.recordCount, exported.statistics.getOrElse(file.id, Map.empty))
      )
      .build()

  private def deleteFile(
      file: DataFile,
      deletes: IcebergDeleteFile,
      written: WrittenDeletes,
  ): DeleteFile = {
    val builder = FileMetadata
      .deleteFileBuilder(PartitionSpec.unpartitioned)
      .ofPositionDeletes()
      .withPath(deletes.path)
      .withFileSizeInBytes(written.sizeBytes)
      .withReferencedDataFile(file.path)
    written.vector match {
      case Some(place) =>
        builder
          .withFormat(FileFormat.PUFFIN)
          .withRecordCount(deletes.positions)
          .withContentOffset(place.offset)
          .withContentSizeInBytes(place.length)
          .build()
      case None =>
        val path = Map(Integer.valueOf(ReservedFields.icebergDeletedPath) -> bytes(file.path))
        val bounds = path.asJava
        builder
          .withFormat(FileFormat.PARQUET)
          .withMetrics(new Metrics(deletes.positions, null, null, null, null, bounds, bounds))
          .build()
    }
  }

  private def bytes(text: String): ByteBuffer =
    Conversions.toByteBuffer(Types.StringType.get, text)
}

private[iceberg] object IcebergVersion {

  /** Upkeep of other programs may not delete the files, which belong to the lake. */
  private val properties = Map("gc.enabled" -> "false")
}
