package ducklake.spark.procedures.moving

import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.MoveTable
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Makes a table of Iceberg a table of the lake. */
final class MigrateFromIceberg(session: SessionLake)
    extends MoveProcedure(
      session,
      "migrate_from_iceberg",
      "A table of Iceberg becomes a table of the lake, its files where they are",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    MoveCall.parameters ++ MoveCall.ofVersions

  override protected def move(tables: MoveTable, call: MoveCall): Vector[MoveLine] =
    tables.fromIceberg(call.ofVersions(MoveCall.parameters.length))
}
