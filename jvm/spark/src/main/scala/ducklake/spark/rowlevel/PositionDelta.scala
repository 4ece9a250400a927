package ducklake.spark.rowlevel

import ducklake.catalog.predicate.Predicate
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.read.DuckLakeScanBuilder
import ducklake.spark.read.ReadColumns
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.types.HiddenNames
import ducklake.spark.types.LostValues
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.DeltaWrite
import org.apache.spark.sql.connector.write.DeltaWriteBuilder
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.connector.write.SupportsDelta
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util.concurrent.atomic.AtomicReference

/** DELETE, UPDATE or MERGE. Rows are identified by data file and position. Old versions of rows are
  * deleted by position, and new versions are written to new files. An updated row keeps its row id.
  *
  * @param merged the epoch whose rows the statement merges; None for statements of users
  */
final class PositionDelta(
    table: TableAtSnapshot,
    override val command: Command,
    merged: Option[MergedEpoch],
) extends SupportsDelta {

  // Set while Spark analyses the statement, on the driver's thread, before it requests the write.
  private var checks: Vector[RereadSource] = Vector.empty

  /** Notes sources that the statement reads twice. The statement is committed only when both reads
    * gave the same rows.
    */
  private[spark] def readsTwice(sources: Vector[RereadSource]): Unit = checks = sources

  override def description(): String = s"$command of ${table.name}"

  /** The conditions of each scan of the statement on its target. Spark may plan a statement several
    * times, and builds all scans before it runs the write.
    */
  private val conditions = new AtomicReference(Vector.empty[Vector[Predicate]])

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new DuckLakeScanBuilder(
      table,
      options,
      isRowLevel = true,
      built = predicates => conditions.updateAndGet(_ :+ predicates): Unit,
    )

  override def rowId(): Array[NamedReference] =
    Array(Expressions.column(HiddenNames.File), Expressions.column(HiddenNames.Position))

  override def requiredMetadataAttributes(): Array[NamedReference] = command match {
    case Command.DELETE => Array.empty
    case Command.UPDATE | Command.MERGE if table.table.columns.exists(LostValues.mayBeIn) =>
      Array(Expressions.column(HiddenNames.RowId), Expressions.column(HiddenNames.Loss))
    case Command.UPDATE | Command.MERGE => Array(Expressions.column(HiddenNames.RowId))
  }

  /** False, so that Spark gives one row for an updated row, and one task has its old and its new
    * version.
    */
  override def representUpdateAsDeleteAndInsert(): Boolean = false

  override def newWriteBuilder(info: LogicalWriteInfo): DeltaWriteBuilder =
    new DeltaWriteBuilder {
      override def build(): DeltaWrite = writeOf(info)
    }

  /** The write of an epoch whose few changes the driver finds itself; None when Spark has to sort or
    * distribute the rows for the table.
    */
  private[spark] def driverWrite: Option[PositionDeltaWrite] =
    merged.map(epoch => writeOf(epoch.info(ReadColumns.all(table)))).filter(_.takesRowsAsTheyCome)

  private def writeOf(info: LogicalWriteInfo): PositionDeltaWrite = onDriver {
    val target = WriteTarget.existing(table.session, table.snapshot, table.table)
    new PositionDeltaWrite(
      table,
      merged.fold(target)(_.committing(target)),
      command,
      merged.fold(info)(_.withOptions(info)),
      checks,
      () => conditions.get(),
    )
  }
}
