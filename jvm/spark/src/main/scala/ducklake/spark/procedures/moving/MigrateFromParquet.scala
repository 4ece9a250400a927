package ducklake.spark.procedures.moving

import ducklake.spark.metadata.LocalResult
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.MoveTable
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Makes a folder or a table of Parquet files a table of the lake. */
final class MigrateFromParquet(session: SessionLake)
    extends LakeProcedure(
      "migrate_from_parquet",
      "Parquet files become a new table of the lake, where they are",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    Array(
      Arguments.required("source"),
      Arguments.required("table"),
      Arguments.optional("schema"),
      Arguments.flag("dry_run"),
    )

  override def result(arguments: InternalRow): LocalResult = {
    val supplied = new Arguments(name(), arguments)
    val base = session.base()
    val lines = new MoveTable(session).fromParquet(
      base,
      supplied.required(0, "source"),
      MoveTarget.of(base, supplied.required(1, "table"), supplied.text(2)),
      isTrial = supplied.isTrue(3),
    )
    new LocalResult(MoveLine.schema, () => lines.map(_.values))
  }
}
