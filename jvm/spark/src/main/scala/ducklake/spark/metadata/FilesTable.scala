package ducklake.spark.metadata

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.listing.FileRequest
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
        files(snapshot, table).flatMap { file =>
          if (file.deleteFiles.isEmpty) Vector(listed(file, None))
          else file.deleteFiles.map(deletes => listed(file, Some(deletes)))
        },
    )

  /** A row for each data file, with the youngest of its delete files. */
  def files(table: TableAtSnapshot): LocalResult =
    new LocalResult(
      filesSchema,
      () =>
        described(table).map { case (file, partition) =>
          listed(file, file.deleteFiles.lastOption) ++ Vector[Any](
            file.id.value,
            file.recordCount,
            file.deleteCount,
            Option.unless(UncommittedIds.contains(file.begin.value))(file.begin.value),
            file.rowIdStart,
            partition,
          )
        },
    )

  def partitions(table: TableAtSnapshot): LocalResult =
    new LocalResult(
      partitionsSchema,
      () =>
        described(table)
          .groupMap(_._2)(_._1)
          .toVector
          .sortBy(_._1.toString)
          .map { case (values, group) =>
            Vector[Any](
              values,
              group.length.toLong,
              group.map(_.recordCount).sum,
              group.map(_.sizeBytes).sum,
            )
          },
    )

  private def files(snapshot: LakeSnapshot, table: LakeTable): Vector[DataFile] =
    snapshot.files(table, FileRequest.everyFile).files

  /** The files with their partition values. */
  private def described(
      of: TableAtSnapshot
  ): Vector[(DataFile, Option[ListMap[String, Option[String]]])] = {
    val columns = of.table.partition.toVector.flatMap(_.keys).map(_.column).toSet
    val listing = of.snapshot.files(of.table, FileRequest(Vector.empty, columns, None))
    listing.files.map { file =>
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
  ): Option[ListMap[String, Option[String]]] =
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
