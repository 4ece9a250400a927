package ducklake.spark.moving.out.iceberg

import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.iceberg.IcebergLibrary
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

/** Makes a snapshot of tables the newest versions of tables of Iceberg over the same data files
  * (decision 32).
  */
final class IcebergExport(lake: SessionLake) {

  private val conf = WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)

  /** What the call has done, or would do.
    *
    * @param least the format that the table has at least: no version gives up that of the last one
    *
    * Errors: Unsupported for what Iceberg cannot show, and without the library; InvalidArgument when
    * the folder has another table; UnreadableFile, UnwritableFile. The last version stays the newest
    * then.
    */
  def run(tables: ExportedTables, isTrial: Boolean, least: IcebergFormat): Vector[MoveLine] =
    IcebergLibrary.using(ExportTables.run("export_iceberg", tables, isTrial)(plan(_, least)))

  private def plan(request: ExportRequest, least: IcebergFormat): PlannedExport = {
    val table = ExportedTable.of(request)
    val folder = new IcebergFolder(request.folder, request.table.uuid, table.name, conf)
    val last = folder.read()
    val format = last.format.filter(_.number > least.number).getOrElse(least)
    val shapes =
      if (request.snapshot.isEncrypted) Vector.empty else FieldsJob.run(table, conf)
    new PlannedExport {
      override val exported: ExportedTable = table
      override val version: Long = last.version + 1L
      override val notes: Vector[String] =
        Vector(s"format ${format.number}").filter(_ => format != IcebergFormat.Second)
      override val refused: Vector[String] = new IcebergPlan(format).refused(table, shapes)

      override def write(): ShownVersion = written(request, exported, folder, last, format)
    }
  }

  private def written(
      request: ExportRequest,
      exported: ExportedTable,
      folder: IcebergFolder,
      last: IcebergState,
      format: IcebergFormat,
  ): ShownVersion = {
    val version = new IcebergVersion(exported, request.folder, last.metadata, format, folder.files)
    val known = version.knownDeletes
    val deletes = IcebergDeletes.write(exported, request.folder, known, format, conf)
    val kept = new KeptExports(lake, "iceberg", request)
    version.next(deletes) match {
      case None =>
        // A call that died before its hint has left the older one.
        folder.hint()
        ShownVersion.Unchanged(last.version.toLong, kept.again(last.newest))
      case Some(metadata) =>
        val number = last.version + 1
        val name = kept.during(number.toLong, folder.read().newest)(folder.write(number, metadata))
        ShownVersion.Written(number.toLong, version.added, version.removed, deletes.size, name)
    }
  }
}
