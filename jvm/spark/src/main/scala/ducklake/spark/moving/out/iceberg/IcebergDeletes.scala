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

/** A position delete file of an exported table, for one data file.
  *
  * @param path in DuckDB's spelling
  * @param sizeBytes None for a file that an earlier version has
  */
private[iceberg] final case class IcebergDeleteFile(
    dataFile: DataFileId,
    path: String,
    positions: Long,
    sizeBytes: Option[Long],
)

/** Writes position delete files as Iceberg has them, in tasks: those of lakes have other field ids.
  * The name of a file has a digest of its content, so that the deletes of an earlier version are
  * recognized and not written again.
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
          some.flatMap { case (each, last) => one(each, last, folder, table, settings) }.toVector
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
      conf: Configuration,
  ): Option[IcebergDeleteFile] = {
    val positions = deletes.positions(table, conf)
    val digest = PositionDigest.of(deletes.path, DeletionVector.encode(positions))
    val start = s"${folder}data/deletes-$digest-"
    Option.unless(positions.isEmpty) {
      last.filter(_.startsWith(start)) match {
        case Some(path) =>
          IcebergDeleteFile(deletes.file, path, positions.size.toLong, None)
        case None =>
          val path = s"$start${UUID.randomUUID()}.parquet"
          val target =
            NewDeletes(PathResolver.hadoopPath(path), deletes.path, table, isEncrypted = false)
          val size = DeleteFileWriter.writeForIceberg(target, positions, conf).sizeBytes
          IcebergDeleteFile(deletes.file, path, positions.size.toLong, Some(size))
      }
    }
  }
}
