package ducklake.spark.procedures

import ducklake.spark.maintenance.compact.ApplyDeletes
import ducklake.spark.maintenance.compact.CompactedGroup
import ducklake.spark.maintenance.compact.CompactedTable
import ducklake.spark.maintenance.compact.Compactor
import ducklake.spark.maintenance.compact.FilesWhere
import ducklake.spark.maintenance.compact.MergeAdjacent
import ducklake.spark.maintenance.compact.MergeSizes
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Merges small files of a table, a schema or the whole lake.
  *
  * Source: DuckDB 1.5.5 (format 9.4), decisions 14 and 15; the last three arguments are ours.
  */
final class MergeAdjacentFiles(session: SessionLake)
    extends MaintenanceProcedure(
      session,
      MergeAdjacentFiles.Name,
      "Merges small files of tables into larger files",
    ) {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.optional("table_name"),
    Arguments.optional("schema"),
    Arguments.optional("max_compacted_files", LongType),
    Arguments.optional("min_file_size", LongType),
    Arguments.optional("max_file_size", LongType),
    Arguments.flag("apply_deletes"),
    Arguments.flag("show_partitions"),
    Arguments.optional("where"),
  )

  override def result(call: MaintenanceCall, row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val files = ChosenFiles.of(name(), arguments, tableIndex = 0, whereIndex = 7)
    val compactor =
      MergeAdjacentFiles.compactor(call, sizes(arguments), arguments.isTrue(5), files)
    val merged = session.prepareToWriteIfAny().toVector.flatMap { base =>
      compactor.run(ChosenTables.of(session.name, base, arguments, 0, 1))
    }
    CompactionResult.of(merged, showsPartitions = arguments.isTrue(6))
  }

  private def sizes(arguments: Arguments): MergeSizes = {
    val most = arguments.long(2)
    val least = arguments.long(3)
    val below = arguments.long(4)
    if (most.exists(_ <= 0)) arguments.fail("max_compacted_files", "must be greater than zero")
    if (below.exists(_ <= 0)) arguments.fail("max_file_size", "must be greater than zero")
    if (least.exists(_ < 0)) arguments.fail("min_file_size", "must not be negative")
    if (least.exists(bytes => below.exists(bytes >= _)))
      arguments.fail("min_file_size", "must be less than `max_file_size`")
    MergeSizes(
      least.getOrElse(0L),
      below.getOrElse(Long.MaxValue),
      most.getOrElse(Long.MaxValue),
    )
  }
}

object MergeAdjacentFiles {
  val Name = "merge_adjacent_files"

  /** @param appliesDeletes whether small files with deletes are taken, too */
  def compactor(
      call: MaintenanceCall,
      sizes: MergeSizes,
      appliesDeletes: Boolean,
      files: FilesWhere,
  ): Compactor = {
    val merge = MergeAdjacent(sizes)
    new Compactor(
      call,
      Name,
      if (appliesDeletes) Vector(ApplyDeletes(sizes), merge) else Vector(merge),
      files,
    )
  }
}

/** The result of the procedures that replace files by fewer files: a row for each new file. */
object CompactionResult {

  /** @param showsPartitions whether the result has a column with the partition of the files */
  def of(tables: Vector[CompactedTable], showsPartitions: Boolean): LocalResult = {
    val groups = tables.flatMap(_.groups)
    def row(group: CompactedGroup): Vector[Any] =
      Vector(group.schema, group.table, group.processed, group.created)
    if (showsPartitions)
      new LocalResult(
        schema.add("partition", MapType(StringType, StringType)),
        () => groups.map(group => row(group) :+ group.partition),
      )
    else new LocalResult(schema, () => groups.map(row))
  }

  val schema: StructType = new StructType()
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("files_processed", LongType)
    .add("files_created", LongType)
}
