package ducklake.spark.moving.out

import ducklake.files.foreign.FooterField
import ducklake.files.foreign.FooterFields
import ducklake.files.path.PathResolver
import ducklake.spark.job.LakeJob
import ducklake.spark.job.ParallelJob
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** Data files with the same fields.
  *
  * @param files their number
  */
private[out] final case class FileShape(fields: Vector[FooterField], files: Int)

/** Reads the fields of data files from their footers, in tasks. The catalog does not know them: a
  * renamed column keeps its old name in old files, and a transaction may write files before it
  * renames a column.
  */
private[out] object FieldsJob {

  /** The different shapes of the files.
    *
    * Errors: UnreadableFile; StatementInterrupted.
    */
  def run(exported: ExportedTable, conf: Configuration): Vector[FileShape] = {
    val table = exported.name
    val files = exported.files.map { file =>
      (PathResolver.hadoopPath(file.path), file.sizeBytes, file.footerSize)
    }
    if (files.isEmpty) Vector.empty
    else {
      val description = s"Exporting $table: footers of ${files.size} files"
      val context = SparkSession.active.sparkContext
      val job = new LakeJob(context, description, "read the footers of files", conf)
      val found = ParallelJob.run(job, files, FilesPerTask) { (some, settings) =>
        val shapes = some.map { case (path, size, footer) =>
          FooterFields.read(path, size, footer, table, settings)
        }
        shapes.toVector.groupMapReduce(identity)(_ => 1)(_ + _).toVector
      }
      found.groupMapReduce(_._1)(_._2)(_ + _).toVector.map { case (fields, count) =>
        FileShape(fields, count)
      }
    }
  }

  private val FilesPerTask = 4
}
