package ducklake.spark.moving.out.iceberg

import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.iceberg.IcebergLibrary
import ducklake.spark.moving.out.ExportReport
import ducklake.spark.moving.out.ExportRequest
import ducklake.spark.moving.out.ExportedTable
import ducklake.spark.moving.out.FieldsJob
import ducklake.spark.moving.out.KeptExports
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.classic.SparkSession

/** Makes a snapshot of a table the newest version of a table of Iceberg over the same data files
  * (decision 32).
  */
final class IcebergExport(lake: SessionLake) {

  private val conf = WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)

  /** What the call has done, or would do.
    *
    * Errors: Unsupported for what Iceberg cannot show, and without the library; InvalidArgument when
    * the folder has another table; UnreadableFile, UnwritableFile. The last version stays the newest
    * then.
    */
  def run(request: ExportRequest): Vector[MoveLine] =
    IcebergLibrary.using {
      val exported = ExportedTable.at(request.snapshot, request.table)
      val folder = new IcebergFolder(request.folder, request.table.uuid, exported.name, conf)
      val last = folder.read()
      val shapes =
        if (request.snapshot.isEncrypted) Vector.empty else FieldsJob.run(exported, conf)
      val refused = IcebergPlan.refused(exported, shapes)
      val report = new ExportReport(exported, request)
      if (request.isTrial) report.planned(last.version + 1L, Vector.empty, refused)
      else {
        report.refuse("export_iceberg", refused)
        written(request, exported, folder, last, report)
      }
    }

  private def written(
      request: ExportRequest,
      exported: ExportedTable,
      folder: IcebergFolder,
      last: IcebergState,
      report: ExportReport,
  ): Vector[MoveLine] = {
    val version = new IcebergVersion(exported, request.folder, last.metadata, folder.files)
    val deletes = IcebergDeletes.write(exported, request.folder, version.knownDeletes, conf)
    version.next(deletes) match {
      case None => report.unchanged(last.version.toLong)
      case Some(metadata) =>
        val kept = new KeptExports(lake, "iceberg", request)
        val name = kept.during(folder.write(last.version + 1, metadata))
        report.done(last.version + 1L, version.added, version.removed, deletes.size, name)
    }
  }
}
