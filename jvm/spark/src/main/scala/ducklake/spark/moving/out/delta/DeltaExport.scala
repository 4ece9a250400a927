package ducklake.spark.moving.out.delta

import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.out.ExportRequest
import ducklake.spark.moving.out.ExportTables
import ducklake.spark.moving.out.ExportedTable
import ducklake.spark.moving.out.ExportedTables
import ducklake.spark.moving.out.FieldsJob
import ducklake.spark.moving.out.KeptExports
import ducklake.spark.moving.out.PlannedExport
import ducklake.spark.moving.out.ShownVersion
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.classic.SparkSession

/** Makes a snapshot of tables the newest versions of tables of Delta over the same data files
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
  def run(tables: ExportedTables, isTrial: Boolean, byId: Boolean): Vector[MoveLine] =
    ExportTables.run("export_delta", tables, isTrial)(plan(_, byId))

  private def plan(request: ExportRequest, byId: Boolean): PlannedExport = {
    val table = ExportedTable.of(request)
    val log = new DeltaLog(request.folder, request.table.uuid, table.name, conf)
    val last = log.read()
    val least = if (byId) ColumnMapping.ById else DeltaVersion.mappingOf(last)
    val shapes =
      if (request.snapshot.isEncrypted) Vector.empty else FieldsJob.run(table, conf)
    val plan = DeltaPlan.of(table, shapes, least)
    new PlannedExport {
      override val exported: ExportedTable = table
      override val version: Long = last.version + 1
      override val notes: Vector[String] = columns(plan)
      override val refused: Vector[String] = plan.refused

      override def write(): ShownVersion = {
        val vectors = DeltaVectors.write(exported, request.folder, conf)
        val millis = System.currentTimeMillis()
        val next = new DeltaVersion(exported, plan, vectors, last, request.folder, millis)
        val kept = new KeptExports(lake, "delta", request)
        if (next.changesAnything) {
          log.checkpoint(last)
          val name = kept.during(version, log.read().newest) {
            log.write(version, next.actions(log.appId))
          }
          ShownVersion.Written(version, next.added, next.removed, vectors.size, name)
        } else {
          log.repair(last)
          ShownVersion.Unchanged(last.version, kept.again(last.newest))
        }
      }
    }
  }

  /** How readers find columns, and what of it is not known to all of them. */
  private def columns(plan: DeltaPlan): Vector[String] =
    Vector(
      DeltaVersion.modeOf(plan.mapping).map(mode => s"column mapping by $mode"),
      Option.when(plan.widened.nonEmpty)(s"type widening of ${plan.widened.size} columns"),
    ).flatten
}
