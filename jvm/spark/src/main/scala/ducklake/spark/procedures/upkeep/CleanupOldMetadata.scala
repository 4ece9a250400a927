package ducklake.spark.procedures.upkeep

import ducklake.catalog.model.OldMetadataScope
import ducklake.spark.metadata.LocalResult
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Removes metadata that nothing needs and that no expiry removes.
  *
  * Source: ours, decision 13.
  */
final class CleanupOldMetadata(session: SessionLake)
    extends LakeProcedure(
      "cleanup_old_metadata",
      "Removes rows of the catalog, and inlined tables, that nothing needs any more",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.optional("inlined_tables", BooleanType),
    Arguments.optional("dry_run", BooleanType),
  )

  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val scope =
      if (arguments.isTrue(0)) OldMetadataScope.RowsAndInlinedTables else OldMetadataScope.Rows
    val isDryRun = arguments.isTrue(1)
    if (!isDryRun) session.prepareToWriteIfAny(): Unit
    val old = session.lake.oldMetadata(scope)
    if (!isDryRun) session.lake.removeOldMetadata(old)
    new LocalResult(
      CleanupOldMetadata.schema,
      () => old.rows.map(one => Vector(one.table, one.rows)),
    )
  }
}

object CleanupOldMetadata {
  val schema: StructType =
    new StructType().add("metadata_table", StringType).add("rows", LongType)
}
