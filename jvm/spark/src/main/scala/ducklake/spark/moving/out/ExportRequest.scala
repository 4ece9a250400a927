package ducklake.spark.moving.out

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable

/** What an export is asked for.
  *
  * @param folder of the exported table, in DuckDB's spelling, with a separator at its end
  * @param isTrial whether nothing is written
  * @param versions how many exported snapshots of the folder keep their names; None: all
  */
final case class ExportRequest(
    snapshot: LakeSnapshot,
    table: LakeTable,
    folder: String,
    isTrial: Boolean,
    versions: Option[Int],
)
