package ducklake.spark.procedures.moving

import ducklake.spark.moving.LostDefinitions
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.MoveTable
import ducklake.spark.procedures.Arguments
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Makes a table of Delta a table of the lake. */
final class MigrateFromDelta(session: SessionLake)
    extends MoveProcedure(
      session,
      "migrate_from_delta",
      "A table of Delta becomes a table of the lake, its files where they are",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    (MoveCall.parameters :+ Arguments.flag("drop_unsupported")) ++ MoveCall.ofVersions

  override protected def move(tables: MoveTable, call: MoveCall): Vector[MoveLine] = {
    val isDropped = call.all.isTrue(MoveCall.parameters.length)
    val definitions = if (isDropped) LostDefinitions.Dropped else LostDefinitions.Refused
    val request = call.ofVersions(MoveCall.parameters.length + 1)
    tables.fromDelta(request, definitions)
  }
}
