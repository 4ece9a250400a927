package ducklake.spark.moving.out.iceberg

import ducklake.catalog.types.DataFileId
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.DeletionVector
import ducklake.files.delete.NewDeletes
import ducklake.files.delete.PositionDigest
import ducklake.files.path.PathResolver
import ducklake.spark.job.LakeJob
import ducklake.spark.job.ParallelJob
import ducklake.spark.moving.out.ExportedDeletes
import ducklake.spark.moving.out.ExportedTable
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

import java.util.UUID

/** A delete file of an exported table, for one data file.
  *
  * @param path in DuckDB's spelling
  * @param written None for a file that an earlier version has
  */
private[iceberg] final case class IcebergDeleteFile(
    dataFile: DataFileId,
    path: String,
    positions: Long,
    written: Option[WrittenDeletes],
)

/** A new delete file.
  *
  * @param vector the place of the deletion vector in it; None for a position delete file
  */
private[iceberg] final case class WrittenDeletes(sizeBytes: Long, vector: Option[VectorPlace])

/** Writes delete files as Iceberg has them, in tasks: position delete files of lakes have other field
  * ids. The name of a file has a digest of its content, so that the deletes of an earlier version
  * are recognized and not written again.
  */
private[iceberg] object IcebergDeletes {

  /** The delete files of data files with deleted rows.
    *
    * @param folder of the table, in DuckDB's spelling, with a separator at its end
    * @param known the delete file of the last version, by the path of its data file
    *
    * Errors: UnreadableFile, UnwritableFile; StatementInterrupted.
    */
  def write(
      exported: ExportedTable,
      folder: String,
      known: Map[String, String],
      format: IcebergFormat,
      conf: Configuration,
  ): Map[DataFileId, IcebergDeleteFile] = {
    val files = exported.files.filter(_.hasDeletes).map { file =>
      (ExportedDeletes.of(file, exported), known.get(file.path))
    }
    if (files.isEmpty) Map.empty
    else {
      val table = exported.name
      val description = s"Writing delete files of $table: ${files.size} files"
      val context = SparkSession.active.sparkContext
      val job = new LakeJob(context, description, "wrote delete files", conf)
      ParallelJob
        .run(job, files, 1) { (some, settings) =>
          some.flatMap { case (each, last) =>
            one(each, last, folder, table, format, settings)
          }.toVector
        }
        .map(found => found.dataFile -> found)
        .toMap
    }
  }

  /** None when no row is deleted. */
  private def one(
      deletes: ExportedDeletes,
      last: Option[String],
      folder: String,
      table: String,
      format: IcebergFormat,
      conf: Configuration,
  ): Option[IcebergDeleteFile] = {
    val positions = deletes.positions(table, conf)
    val vector = DeletionVector.encode(positions)
    val start = s"${folder}data/deletes-${PositionDigest.of(deletes.path, vector)}-"
    Option.unless(positions.isEmpty) {
      val count = positions.size.toLong
      last.filter(_.startsWith(start)) match {
        case Some(path) => IcebergDeleteFile(deletes.file, path, count, None)
        case None =>
          val name = s"$start${UUID.randomUUID()}"
          val (path, written) = format match {
            case IcebergFormat.Second =>
              val path = s"$name.parquet"
              val target =
                NewDeletes(PathResolver.hadoopPath(path), deletes.path, table, isEncrypted = false)
              val size = DeleteFileWriter.writeForIceberg(target, positions, conf).sizeBytes
              (path, WrittenDeletes(size, None))
            case IcebergFormat.Third =>
              val path = s"$name.puffin"
              (path, IcebergVectors.write(path, deletes.path, vector, count, table, conf))
          }
          IcebergDeleteFile(deletes.file, path, count, Some(written))
      }
    }
  }
}
