package ducklake.spark.procedures

import ducklake.spark.maintenance.compact.CompactedGroup
import ducklake.spark.maintenance.compact.Compactor
import ducklake.spark.maintenance.compact.MergeAdjacent
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.LakeCall
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Merges small files of a table, a schema or the whole lake.
  *
  * Source: DuckDB 1.5.5 (format 9.4), decision 0033.
  */
final class MergeAdjacentFiles(session: SessionLake)
    extends MaintenanceProcedure(
      session,
      "merge_adjacent_files",
      "Merges small files of tables into larger files",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.optional("table_name"),
    Arguments.optional("schema"),
    Arguments.optional("max_compacted_files", LongType),
    Arguments.optional("min_file_size", LongType),
    Arguments.optional("max_file_size", LongType),
  )

  override def result(call: LakeCall, row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val wanted = request(arguments)
    val merged = session.writableIfAny().toVector.flatMap { base =>
      new Compactor(call, wanted).run(ChosenTables.of(base, arguments, 0, 1))
    }
    CompactionResult.of(merged)
  }

  private def request(arguments: Arguments): MergeAdjacent = {
    val most = arguments.long(2)
    val least = arguments.long(3)
    val below = arguments.long(4)
    if (most.exists(_ <= 0)) arguments.fail("max_compacted_files", "must be greater than zero")
    if (below.exists(_ <= 0)) arguments.fail("max_file_size", "must be greater than zero")
    if (least.exists(_ < 0)) arguments.fail("min_file_size", "must not be negative")
    if (least.exists(bytes => below.exists(bytes >= _)))
      arguments.fail("min_file_size", "must be less than `max_file_size`")
    MergeAdjacent(
      least.getOrElse(0L),
      below.getOrElse(Long.MaxValue),
      most.getOrElse(Long.MaxValue),
    )
  }
}

/** The result of the procedures that replace files by fewer files: a row for each new file. */
object CompactionResult {

  def of(groups: Vector[CompactedGroup]): LocalResult =
    new LocalResult(
      schema,
      () => groups.map(g => Vector(g.schema, g.table, g.processed, g.created)),
    )

  val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("files_processed", LongType)
    .add("files_created", LongType)
}
