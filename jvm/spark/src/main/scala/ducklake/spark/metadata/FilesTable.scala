package ducklake.spark.metadata

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.FileKey
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.types.ColumnId
import ducklake.spark.partitioning.SparkTransforms
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.types.*

import java.util.Base64

import scala.collection.View
import scala.collection.immutable.ListMap

/** Data files and partitions of a table as rows.
  *
  * Source: jvm/docs/reading.md, "Tables about a table".
  */
object FilesTable {

  /** The eight columns of `list_files`. */
  val listSchema: StructType = StructType(
    Array(
      StructField("data_file", StringType),
      StructField("data_file_size_bytes", LongType),
      StructField("data_file_footer_size", LongType),
      StructField("data_file_encryption_key", BinaryType),
      StructField("delete_file", StringType),
      StructField("delete_file_size_bytes", LongType),
      StructField("delete_file_footer_size", LongType),
      StructField("delete_file_encryption_key", BinaryType),
    )
  )

  private type PartitionOfFile = ListMap[String, Option[String]]

  private val partitionType = MapType(StringType, StringType)

  private val filesSchema: StructType = listSchema
    .add("data_file_id", LongType)
    .add("record_count", LongType)
    .add("delete_count", LongType)
    .add("begin_snapshot", LongType)
    .add("row_id_start", LongType)
    .add("partition", partitionType)

  private val partitionsSchema: StructType = new StructType()
    .add("partition", partitionType)
    .add("file_count", LongType)
    .add("record_count", LongType)
    .add("file_size_bytes", LongType)

  /** A row for each data file and delete file of it, as DuckDB gives them. */
  def list(snapshot: LakeSnapshot, table: LakeTable): LocalResult =
    new LocalResult(
      listSchema,
      () =>
        snapshot.files(table, FileRequest.everyFile).files.view.flatMap { file =>
          if (file.deleteFiles.isEmpty) Vector(listed(file, None))
          else file.deleteFiles.map(deletes => listed(file, Some(deletes)))
        },
    )

  /** A row for each data file, with the youngest of its delete files. */
  def files(table: TableAtSnapshot): LocalResult = new Files(table, filesSchema)

  /** Reads of the catalog what the columns need. To count the files they are not read. */
  private final class Files(table: TableAtSnapshot, columns: StructType)
      extends LocalResult(
        columns,
        () =>
          if (columns.isEmpty) View.fill(Math.toIntExact(fileCount(table)))(Vector.empty)
          else fileRows(table, columns),
        count = Some(() => fileCount(table)),
      ) {
    override def project(required: StructType): LocalResult = new Files(table, required)
  }

  private def fileRows(table: TableAtSnapshot, columns: StructType): View[Vector[Any]] = {
    val indexes = columns.fieldNames.toVector.map(filesSchema.fieldIndex)
    val needsPartition = columns.fieldNames.contains("partition")
    val found =
      if (needsPartition) described(table)
      else everyFile(table).files.view.map((_, Option.empty[PartitionOfFile]))
    found.map { case (file, partition) =>
      val row = listed(file, file.deleteFiles.lastOption) ++ Vector[Any](
        file.id.value,
        file.recordCount,
        file.deleteCount,
        Option.unless(UncommittedIds.contains(file.begin.value))(file.begin.value),
        file.rowIdStart,
        partition,
      )
      indexes.map(row)
    }
  }

  def partitions(table: TableAtSnapshot): LocalResult =
    new LocalResult(
      partitionsSchema,
      () =>
        described(table)
          .groupMapReduce(_._2) { case (file, _) => (1L, file.recordCount, file.sizeBytes) } {
            case ((files, rows, bytes), (more, moreRows, moreBytes)) =>
              (files + more, rows + moreRows, bytes + moreBytes)
          }
          .toVector
          .sortBy(_._1.toString)
          .map { case (values, (files, rows, bytes)) => Vector[Any](values, files, rows, bytes) },
    )

  private def everyFile(of: TableAtSnapshot): FileListing =
    of.snapshot.files(
      of.table,
      FileRequest.everyFile.copy(partitionValues = PartitionValues.LeftOut),
    )

  /** The catalog counts them, and lists the first ones at most. */
  private def fileCount(of: TableAtSnapshot): Long = {
    val few = FileRequest.everyFile
      .copy(partitionValues = PartitionValues.LeftOut, enoughRows = Some(0L))
    of.snapshot.files(of.table, few).listedFiles
  }

  /** The files with their partition values, made while they are gone through. */
  private def described(of: TableAtSnapshot): View[(DataFile, Option[PartitionOfFile])] = {
    val columns = of.table.partition.toVector.flatMap(_.keys).map(_.column).toSet
    val listing = of.snapshot.files(of.table, FileRequest(Vector.empty, columns, None))
    listing.files.view.map { file =>
      file -> partition(of.table, file, listing.statistics.getOrElse(file.id, Map.empty))
    }
  }

  private def listed(file: DataFile, deletes: Option[DeleteFile]): Vector[Any] =
    Vector(
      file.path,
      file.sizeBytes,
      Option.when(file.footerSize > 0)(file.footerSize),
      file.encryption.known.map(key),
      deletes.map(_.path),
      deletes.map(_.sizeBytes),
      deletes.flatMap(_.footerSize),
      deletes.flatMap(_.encryption.known).map(key),
    )

  private def key(stored: FileKey): Array[Byte] = Base64.getDecoder.decode(stored.base64)

  /** The partition values of a file, each under its transform as DESCRIBE prints it. None for a
    * file without partition values. A value that the file's bounds contradict is left out. The
    * table no longer has the keys of an older layout, so these are named by their index.
    */
  private def partition(
      table: LakeTable,
      file: DataFile,
      statistics: Map[ColumnId, ColumnStatistics],
  ): Option[PartitionOfFile] =
    file.partition.map { recorded =>
      val keys = table.partition.filter(_.id == recorded.id).toVector.flatMap(_.keys)
      val types = LeafColumns.of(table.columns)
      ListMap.from(recorded.values.toVector.sortBy(_._1).flatMap { case (index, stored) =>
        keys.find(_.index == index) match {
          case None => Some(index.toString -> stored)
          case Some(key) =>
            val known = statistics.get(key.column)
            types
              .get(key.column)
              .flatMap(ProvenValue.credible(key.transform, _, known, stored))
              .map(SparkTransforms.describe(table, key) -> _)
        }
      })
    }
}
