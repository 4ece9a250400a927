package ducklake.spark.procedures.moving

import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.MoveTable
import ducklake.spark.session.SessionLake

/** Makes a folder or a table of Parquet files a table of the lake. */
final class MigrateFromParquet(session: SessionLake)
    extends MoveProcedure(
      session,
      "migrate_from_parquet",
      "Parquet files become a new table of the lake, where they are",
    ) {

  override protected def move(tables: MoveTable, call: MoveCall): Vector[MoveLine] =
    tables.fromParquet(call.request)
}
