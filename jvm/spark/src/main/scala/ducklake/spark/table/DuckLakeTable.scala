package ducklake.spark.table

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.spark.config.AddressOptions
import ducklake.spark.definition.TableChanges
import ducklake.spark.delete.MetadataOnlyDelete
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.maintenance.StreamUpkeep
import ducklake.spark.partitioning.SparkTransforms
import ducklake.spark.read.MetadataColumns
import ducklake.spark.read.TableScans
import ducklake.spark.rowlevel.MergedEpoch
import ducklake.spark.rowlevel.PositionDelta
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.sparkapi.catalog.ColumnTable
import ducklake.spark.sparkapi.catalog.EvolvingTable
import ducklake.spark.sparkapi.catalog.ScanMerging
import ducklake.spark.sparkapi.stream.EpochTable
import ducklake.spark.sparkapi.view.HasOtherTypes
import ducklake.spark.streaming.EpochForm
import ducklake.spark.streaming.ReadStreams
import ducklake.spark.streaming.upsert.UpsertBuilder
import ducklake.spark.streaming.upsert.UpsertOptions
import ducklake.spark.types.SparkTypes
import ducklake.spark.write.DuckLakeWriteBuilder
import ducklake.spark.write.OwnWriteInfo
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.connector.catalog.SupportsDeleteV2
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations
import org.apache.spark.sql.connector.catalog.SupportsWrite
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.ColumnChange
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.RowLevelOperation
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder
import org.apache.spark.sql.connector.write.RowLevelOperationInfo
import org.apache.spark.sql.connector.write.WriteBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.jdk.CollectionConverters.SetHasAsJava

/** A table of a lake with the catalog interfaces of Spark.
  *
  * @param at the table and the snapshot that is read
  * @param use why Spark loaded the table, because some uses show fewer columns
  * @param merged the epoch of a stream that is merged into this table; None for all other
  *   statements
  */
final class DuckLakeTable(
    val at: TableAtSnapshot,
    use: TableUse = TableUse.Any,
    merged: Option[MergedEpoch] = None,
) extends ColumnTable
    with SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns
    with EvolvingTable
    with SupportsRowLevelOperations
    with SupportsDeleteV2
    with HasOtherTypes {

  private def session: SessionLake = at.session
  private def snapshot: LakeSnapshot = at.snapshot
  private def table: LakeTable = at.table
  private lazy val tableProperties = onDriver {
    new LineageProperties(session, table.qualifiedName, TableProperties.of(session, table))
  }

  override def name(): String = at.name

  override def id(): String = table.uuid.toString

  override def version(): String = at.version

  override def columns(): Array[catalog.Column] = at.columns

  override def convertedColumns: Set[String] =
    table.columns.filter(SparkTypes.isConverted).map(_.name).toSet

  override def unsignedColumns: Set[String] =
    table.columns.filter(SparkTypes.isUnsigned).map(_.name).toSet

  override def partitioning(): Array[Transform] = SparkTransforms.ofCreation(table)

  override def properties(): util.Map[String, String] = tableProperties

  override def capabilities(): util.Set[TableCapability] = DuckLakeTable.Known

  /** Whether Spark may request a change of the columns. Always true for a new column: when the
    * column is not possible, the change then fails with an error, whereas Spark would skip it
    * silently. A change of an existing column must be possible; otherwise Spark casts the values.
    */
  override def supportsColumnChange(change: ColumnChange): Boolean = change match {
    case _: TableChange.AddColumn => true
    case other => onDriver(new TableChanges(session, snapshot, table).allows(other))
  }

  override def metadataColumns(): Array[MetadataColumn] = use.hidden

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = onDriver {
    checkNames()
    val own = AddressOptions.without(name(), options)
    TableScans.builder(at, own, ReadStreams.ofTable(at, own, _))
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = onDriver {
    checkNames()
    merged.fold(builderOf(info)) { epoch =>
      epoch.appending(WriteTarget.existing(session, snapshot, table), info)
    }
  }

  private def builderOf(info: LogicalWriteInfo): WriteBuilder = {
    val written = if (EpochTable.isOld(info)) newest else at
    val target = WriteTarget.existing(session, written.snapshot, written.table)
    val own = OwnWriteInfo.of(name(), info)
    val upkeep = (written: WriteTarget) => new StreamUpkeep(written, own.options())
    UpsertOptions.of(own.options()) match {
      case Some(upsert) => new UpsertBuilder(written, own, upsert, upkeep)
      case None =>
        val form = (mode: OverwriteMode) => Some(new EpochForm(target, mode, own, upkeep))
        new DuckLakeWriteBuilder(target, own, form)
    }
  }

  /** The table as it is now; as it was when it has other columns now. */
  private def newest: TableAtSnapshot = at.at(session.base()).getOrElse(at)

  override def newRowLevelOperationBuilder(
      info: RowLevelOperationInfo
  ): RowLevelOperationBuilder = {
    val operation = changing(info.command())
    () => operation
  }

  private[spark] def changing(command: RowLevelOperation.Command): PositionDelta = onDriver {
    checkNames()
    MetadataColumns.hiddenBy(table.columns.map(_.name)).foreach(refuse(command, _))
    new PositionDelta(at, command, merged)
  }

  /** Whether DELETE, UPDATE and MERGE of the table are serializable. */
  private[spark] lazy val isSerializable: Boolean = onDriver {
    val target = WriteTarget.existing(session, snapshot, table)
    target.isSerializable(target.config(CaseInsensitiveStringMap.empty()))
  }

  /** Errors: Unsupported when two columns have the same name for Spark. */
  private[spark] def checkNames(): Unit = onDriver(CaseCollisions.check(table))

  /** The same table for another use. */
  def usedFor(other: TableUse): DuckLakeTable =
    new DuckLakeTable(at, other, merged)

  /** Refuses a row-level statement on a table that has a column with the name of a hidden column.
    * Spark prefers the table's own column, and would identify rows by its values.
    */
  private def refuse(command: RowLevelOperation.Command, column: String): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"$command of ${name()}, which has a column `$column`,",
        "The name is that of a hidden column. Rename the column, or change the rows with DuckDB.",
      )
    )

  /** Whether the catalog alone can find the rows to delete. Otherwise Spark searches for the rows.
    */
  override def canDeleteWhere(predicates: Array[Predicate]): Boolean =
    onDriver(catalogDelete.isPossible(predicates.toVector))

  override def deleteWhere(predicates: Array[Predicate]): Unit =
    onDriver(catalogDelete.run(predicates.toVector))

  /** TRUNCATE. Spark loads the table for it as for a read. */
  override def truncateTable(): Boolean = onDriver {
    catalogDelete.run(Vector.empty)
    true
  }

  private def catalogDelete: MetadataOnlyDelete = new MetadataOnlyDelete(session, snapshot, table)

  override def equals(other: Any): Boolean = other match {
    case that: DuckLakeTable => at == that.at
    case _ => false
  }

  override def hashCode(): Int = at.hashCode()

  override def toString: String = at.toString
}

private object DuckLakeTable {

  /** Names, because no version of Spark has them all. */
  private val Names: Set[String] = Set(
    "BATCH_READ",
    "MICRO_BATCH_READ",
    "BATCH_WRITE",
    "TRUNCATE",
    "OVERWRITE_BY_FILTER",
    "OVERWRITE_DYNAMIC",
    "AUTOMATIC_SCHEMA_EVOLUTION",
    "STREAMING_WRITE",
  )

  private val Known: util.Set[TableCapability] =
    (TableCapability.values().filter(c => Names(c.name)).toSet ++ ScanMerging.capability).asJava
}
