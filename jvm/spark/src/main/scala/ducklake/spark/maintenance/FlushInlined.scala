package ducklake.spark.maintenance

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.CommitInfo
import ducklake.catalog.change.Operation
import ducklake.catalog.change.OptionRules
import ducklake.catalog.commit.CommitOutcome
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.LakeOption
import ducklake.spark.SessionLake
import ducklake.spark.config.WriteConfig
import ducklake.spark.write.WrittenFiles
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

/** @param rows versions of rows that were written to files; at least one */
final case class FlushedTable(schema: String, table: String, rows: Long)

/** Moves what the catalog keeps of tables into files, in one commit.
  *
  * Source: DuckDB 1.5.5 (format 7.5).
  */
final class FlushInlined(lake: SessionLake, base: LakeSnapshot) {

  private val log = LoggerFactory.getLogger(classOf[FlushInlined])
  private val options = lake.lake.options()

  /** Tables of which rows were flushed, by schema and name. Tables with the option `auto_compact` set to
    * false are left as they are, as by DuckDB.
    *
    * Errors: InvalidValue for a value that no file can hold; CommitConflict and others of a commit.
    */
  def flush(tables: Vector[LakeTable]): Vector[FlushedTable] = {
    val session = SparkSession.active
    val flushes = tables
      .filter(compactsByItself)
      .sortBy(table => (table.schema.name, table.name))
      .map(table => new TableFlush(session, base, table, configOf(table)))
    def files: WrittenFiles = WrittenFiles(flushes.flatMap(_.written.paths))
    val operations =
      try flushes.flatMap(_.run())
      catch {
        case failure: Throwable =>
          files.delete()
          throw failure
      }
    if (operations.nonEmpty) commit(operations, files)
    operations.map(flushed).filter(_.rows > 0)
  }

  private def commit(operations: Vector[Operation], files: WrittenFiles): Unit = {
    val outcome = lake.commit(base, operations, CommitInfo.none)
    outcome match {
      case CommitOutcome.Failed(_) => files.delete()
      case CommitOutcome.Committed(snapshot) =>
        log.info(
          "Flushed what the catalog kept of {} tables in snapshot {}: {} new files",
          operations.size,
          snapshot.id.value,
          files.paths.size,
        )
      case CommitOutcome.Staged(_) | CommitOutcome.Unknown(_) => ()
    }
    outcome.orThrow: Unit
  }

  private def flushed(operation: Operation.FlushInlined): FlushedTable =
    FlushedTable(
      operation.table.schema.name,
      operation.table.name,
      operation.rows.map(_.versions).sum,
    )

  private def configOf(table: LakeTable): WriteConfig =
    WriteConfig.of(
      options,
      table.schema.id,
      Some(table.id),
      Map.empty,
      CaseInsensitiveStringMap.empty(),
    )

  private def compactsByItself(table: LakeTable): Boolean =
    !LakeOption
      .inForce(options, OptionRules.AutoCompact.key, table.schema.id, Some(table.id))
      .exists(_.equalsIgnoreCase("false"))
}
