package ducklake.spark.procedures

import ducklake.spark.maintenance.cleanup.OrphanedFiles
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Deletes files of the lake that the catalog does not list.
  *
  * @param procedure the name of the call, which may be an alias
  */
final class DeleteOrphanedFiles(session: SessionLake, procedure: String)
    extends LakeProcedure(
      procedure,
      "Deletes files of the lake that the catalog does not know",
    ) {

  override def parameters(): Array[ProcedureParameter] = FileCleanup.parameters

  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val limit = FileCleanup.limit(session, arguments)
    if (!FileCleanup.isDryRun(arguments)) session.prepareToWriteIfAny(): Unit
    val orphans = new OrphanedFiles(session)
    val plan = orphans.plan(limit)
    if (!FileCleanup.isDryRun(arguments)) orphans.run(plan)
    new LocalResult(FileCleanup.schema, () => plan.map(Vector[Any](_)))
  }
}
