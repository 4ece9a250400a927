package ducklake.spark.moving.out.delta

import ducklake.catalog.types.DataFileId
import ducklake.files.delete.DeltaVector
import ducklake.files.delete.DeltaVectorFile
import ducklake.files.path.PathResolver
import ducklake.spark.job.LakeJob
import ducklake.spark.job.ParallelJob
import ducklake.spark.moving.out.ExportedDeletes
import ducklake.spark.moving.out.ExportedTable
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** Writes a deletion vector for each data file with deleted rows, in tasks. Its name depends on its
  * content, so a vector of an earlier version is not written again, and files of a failed call are
  * those that the next one needs.
  */
private[delta] object DeltaVectors {

  /** The vectors of files with deleted rows.
    *
    * @param folder of the table, in DuckDB's spelling, with a separator at its end
    *
    * Errors: UnreadableFile, UnwritableFile; StatementInterrupted.
    */
  def write(
      exported: ExportedTable,
      folder: String,
      conf: Configuration,
  ): Map[DataFileId, DeltaVector] = {
    val files = exported.files.filter(_.hasDeletes).map(ExportedDeletes.of(_, exported))
    if (files.isEmpty) Map.empty
    else {
      val (target, table) = (PathResolver.hadoopPath(folder), exported.name)
      val description = s"Writing deletion vectors of $table: ${files.size} files"
      val context = SparkSession.active.sparkContext
      val job = new LakeJob(context, description, "wrote deletion vectors", conf)
      ParallelJob
        .run(job, files, 1) { (some, settings) =>
          some.flatMap { each =>
            val positions = each.positions(table, settings)
            Option.unless(positions.isEmpty) {
              each.file -> DeltaVectorFile.write(target, each.path, positions, table, settings)
            }
          }.toVector
        }
        .toMap
    }
  }
}
