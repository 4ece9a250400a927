package ducklake.spark.moving.out

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable

/** What an export of a table is asked for.
  *
  * @param folder of the exported table, in DuckDB's spelling, with a separator at its end
  * @param versions how many exported snapshots of the folder keep their names; None: all
  * @param willFlush whether rows that the snapshot has in the catalog will be flushed before the
  *   export, which is only planned now
  */
final case class ExportRequest(
    snapshot: LakeSnapshot,
    table: LakeTable,
    folder: String,
    versions: Option[Int],
    willFlush: Boolean,
)

/** The tables that a call exports, at one snapshot. */
sealed trait ExportedTables {
  def requests: Vector[ExportRequest]
}

object ExportedTables {

  /** The table that the caller named. */
  final case class Named(request: ExportRequest) extends ExportedTables {
    override def requests: Vector[ExportRequest] = Vector(request)
  }

  /** All tables of a schema, each in a folder of its name.
    *
    * @param schema its name
    * @param folder around those of the tables
    */
  final case class AllOf(schema: String, folder: String, requests: Vector[ExportRequest])
      extends ExportedTables
}
