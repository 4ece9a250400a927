package ducklake.spark.moving.out.delta

import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.out.ExportRequest
import ducklake.spark.moving.out.ExportReport
import ducklake.spark.moving.out.ExportedTable
import ducklake.spark.moving.out.FieldsJob
import ducklake.spark.moving.out.KeptExports
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.classic.SparkSession

/** Makes a snapshot of a table the newest version of a table of Delta over the same data files
  * (decision 32).
  */
final class DeltaExport(lake: SessionLake) {

  private val conf = WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)

  /** What the call has done, or would do.
    *
    * @param byId whether columns are found by their field ids
    *
    * Errors: Unsupported for what Delta cannot show; InvalidArgument when the folder has another
    * table; UnreadableFile, UnwritableFile. The last version stays the newest then.
    */
  def run(request: ExportRequest, byId: Boolean): Vector[MoveLine] = {
    val exported = ExportedTable.at(request.snapshot, request.table)
    val log = new DeltaLog(request.folder, request.table.uuid, exported.name, conf)
    val last = log.read()
    val least = if (byId) ColumnMapping.ById else DeltaVersion.mappingOf(last)
    val shapes =
      if (request.snapshot.isEncrypted) Vector.empty else FieldsJob.run(exported, conf)
    val plan = DeltaPlan.of(exported, shapes, least)
    val report = new ExportReport(exported, request)
    if (request.isTrial) report.planned(last.version + 1, columns(plan), plan.refused)
    else {
      report.refuse("export_delta", plan.refused)
      val vectors = DeltaVectors.write(exported, request.folder, conf)
      val millis = System.currentTimeMillis()
      val next = new DeltaVersion(exported, plan, vectors, last, request.folder, millis)
      if (next.changesAnything) {
        val kept = new KeptExports(lake, "delta", request)
        val name = kept.during(log.write(last.version + 1, next.actions(log.appId)))
        report.done(last.version + 1, next.added, next.removed, vectors.size, name)
      } else report.unchanged(last.version)
    }
  }

  /** How readers find columns, and what of it is not known to all of them. */
  private def columns(plan: DeltaPlan): Vector[String] =
    Vector(
      DeltaVersion.modeOf(plan.mapping).map(mode => s"column mapping by $mode"),
      Option.when(plan.widened.nonEmpty)(s"type widening of ${plan.widened.size} columns"),
    ).flatten
}
