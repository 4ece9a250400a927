package ducklake.spark.transaction

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.staged.StagedLake
import ducklake.catalog.staged.StagedTable
import ducklake.files.delete.CompressedPositions
import ducklake.files.path.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.delete.DeleteOperationBuilder
import ducklake.spark.delete.ReadRows
import ducklake.spark.delete.RowPlan
import ducklake.spark.delete.RowsToDelete
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WritePlan
import ducklake.spark.session.WrittenFiles
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.immutable.ArraySeq

/** Plans the commit of a transaction, table by table: delete files are written, and files with dead
  * rows are written again without them.
  */
private[transaction] final class TransactionPlans(
    lake: SessionLake,
    base: LakeSnapshot,
    staged: StagedLake,
) {

  // Filled on the driver's thread, before a later step can fail.
  private var ownFiles = Vector.empty[String]
  private var keptFiles = Set.empty[String]

  /** The files that this commit wrote itself, as Hadoop opens them. */
  def made: WrittenFiles = WrittenFiles(ownFiles)

  /** Whether a plan names a file, by its full path in the catalog's spelling. */
  def kept(path: String): Boolean = keptFiles(path)

  /** The operations of one table. Errors: CommitConflict; errors of reading and writing files. */
  def of(changed: StagedTable): WritePlan = {
    val table = changed.table
    val directory = PathResolver.hadoopPath(table.directory)
    val config = configOf(table)
    val own = new OwnRows(lake, base, table, config).of(changed, conf, note)
    val files =
      new LiveRows(lake, base, table, config).of(own.files, staged.filesOfLostColumns(own), note)
    val written = files.filter(_.registered.isEmpty)
    keptFiles ++= written.map(_.path)
    val deletes =
      Option.when(!own.isEmptied && own.deletesRows)((builder(table, config), rows(own)))
    new RowPlan(lake, base, deletes, read = None, note)
      .write(
        own.operations(staged.dataPath, files, _),
        WrittenFiles(written.map(directory + _.file.path)),
      )
  }

  /** The guards of the statements. What serializable statements have read is compared with the
    * newest snapshot. Errors: CommitConflict.
    */
  def guards: Vector[WritePlan] = {
    val nothing = WrittenFiles(Vector.empty)
    val (reads, others) = staged.guards.partitionMap {
      case read: Operation.AssertRowsSeen => Left(read)
      case other => Right(other)
    }
    reads.map { read =>
      val rows = new ReadRows(read.table, base, read.conditions, read.alsoDeleted)
      new RowPlan(lake, base, deletes = None, Some(rows), note).write(_ => Vector.empty, nothing)
    } :+ WritePlan.fixed(others, nothing)
  }

  private def note(files: WrittenFiles): Unit = ownFiles ++= files.paths

  private def builder(table: LakeTable, config: WriteConfig): DeleteOperationBuilder =
    new DeleteOperationBuilder(
      table,
      base,
      config.inliningRowLimit.getOrElse(lake.inliningRowLimit),
      conf,
    )

  private def conf: Configuration =
    WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)

  private def rows(own: StagedTable): RowsToDelete = {
    val whole = base.filesById(own.table, own.endedFiles.toVector.sortBy(_.value))
    if (whole.size < own.endedFiles.size)
      throw new LakeException(
        LakeError.CommitConflict(
          s"it wants to delete from ${own.table.qualifiedName}, and another commit compacted the " +
            "same files since it began"
        )
      )
    RowsToDelete(
      own.deleted.map { case (file, positions) => file -> CompressedPositions(positions.toArray) },
      ArraySeq.unsafeWrapArray(own.endedRows.toArray.sorted),
      whole,
    )
  }

  private def configOf(table: LakeTable): WriteConfig =
    WriteConfig.of(
      lake.options(),
      table.schema.id,
      Some(table.id),
      Map.empty,
      CaseInsensitiveStringMap.empty(),
    )
}
