package ducklake.spark.procedures.upkeep

import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeChange
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Rewrites the catalog database, so that it holds no bytes of removed rows.
  *
  * Source: ours, decision 26.
  */
final class VacuumCatalog(session: SessionLake)
    extends LakeChange(
      "vacuum_catalog",
      "Writes the catalog database anew, so that it holds no bytes of removed rows",
    ) {

  override def isPartOfTransactions: Boolean = false

  override def parameters(): Array[ProcedureParameter] = Array.empty

  override def run(arguments: Arguments): Unit =
    if (session.prepareToWriteIfAny().nonEmpty) session.lake.vacuum()
}
