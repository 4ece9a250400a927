package ducklake.spark.procedures

import ducklake.spark.maintenance.compact.Compactor
import ducklake.spark.maintenance.compact.FilesWhere
import ducklake.spark.maintenance.compact.RewriteDeletes
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.DoubleType

/** Rewrites files with many deleted rows of a table, a schema or the whole lake.
  *
  * Source: DuckDB 1.5.5 (format 9.5), decision 15; the last argument is ours.
  */
final class RewriteDataFiles(session: SessionLake)
    extends MaintenanceProcedure(
      session,
      RewriteDataFiles.Name,
      "Writes files with many deleted rows anew, without these rows",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.optional("table_name"),
    Arguments.optional("schema"),
    Arguments.optional("delete_threshold", DoubleType),
    Arguments.optional("where"),
  )

  override def result(call: MaintenanceCall, row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val least = arguments.double(2)
    if (least.exists(share => !(share >= 0 && share <= 1)))
      arguments.fail("delete_threshold", "must be between 0 and 1")
    val files = ChosenFiles.of(name(), arguments, tableIndex = 0, whereIndex = 3)
    CompactionResult.of(
      session.prepareToWriteIfAny().toVector.flatMap { base =>
        val tables = ChosenTables.of(session.name, base, arguments, 0, 1)
        RewriteDataFiles.compactor(call, least, files).run(tables)
      },
      showsPartitions = false,
    )
  }
}

object RewriteDataFiles {
  val Name = "rewrite_data_files"

  /** @param leastDeleted None: the option `rewrite_delete_threshold` of each table */
  def compactor(
      call: MaintenanceCall,
      leastDeleted: Option[Double],
      files: FilesWhere,
  ): Compactor = new Compactor(call, Name, Vector(RewriteDeletes(leastDeleted)), files)
}
