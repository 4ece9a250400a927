package ducklake.spark.table

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.spark.SessionLake
import ducklake.spark.ddl.TableChanges
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.read.DuckLakeScanBuilder
import ducklake.spark.rowlevel.PositionDelta
import ducklake.spark.write.CatalogDelete
import ducklake.spark.write.DuckLakeWriteBuilder
import ducklake.spark.write.WriteTarget
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.connector.catalog.SupportsDeleteV2
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.catalog.SupportsWrite
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations
import org.apache.spark.sql.connector.catalog.SupportsSchemaEvolution
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

import scala.jdk.CollectionConverters.MapHasAsJava

/** A table at one snapshot. Equal when lake, table and snapshot are, so that plans compare.
  *
  * @param isPast whether the query names the snapshot
  */
final class DuckLakeTable(
    val session: SessionLake,
    val snapshot: LakeSnapshot,
    val table: LakeTable,
    val isPast: Boolean = false,
) extends catalog.Table
    with SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns
    with SupportsSchemaEvolution
    with SupportsRowLevelOperations
    with SupportsDeleteV2 {

  private lazy val sparkColumns = SparkColumns.of(table.columns, session.timeRule)
  private lazy val tableProperties = TableProperties.of(session, table)

  override def name(): String = s"${session.name}.${table.qualifiedName}"

  override def id(): String = table.uuid.toString

  override def version(): String = snapshot.snapshot.id.value.toString

  override def columns(): Array[catalog.Column] = sparkColumns

  override def partitioning(): Array[Transform] = SparkTransforms.of(table)

  override def properties(): util.Map[String, String] = tableProperties.asJava

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(
      TableCapability.BATCH_READ,
      TableCapability.BATCH_WRITE,
      TableCapability.TRUNCATE,
      TableCapability.OVERWRITE_BY_FILTER,
      TableCapability.OVERWRITE_DYNAMIC,
      TableCapability.AUTOMATIC_SCHEMA_EVOLUTION,
    )

  /** New columns that cannot be are told of and not skipped; other types are cast where they can. */
  override def supportsColumnChange(change: ColumnChange): Boolean = change match {
    case _: TableChange.AddColumn => true
    case other => new TableChanges(session, snapshot, table).allows(other)
  }

  override def metadataColumns(): Array[MetadataColumn] = MetadataColumns.asArray

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new DuckLakeScanBuilder(this, options, isRowLevel = false)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new DuckLakeWriteBuilder(WriteTarget.existing(session, snapshot, table), info)

  override def newRowLevelOperationBuilder(
      info: RowLevelOperationInfo
  ): RowLevelOperationBuilder = onDriver {
    MetadataColumns.hiddenBy(table.columns.map(_.name)).foreach(refuse(info.command(), _))
    () => new PositionDelta(this, info.command())
  }

  /** Spark prefers a column of the table to a hidden one of its name, and would tell rows by it. */
  private def refuse(command: RowLevelOperation.Command, column: String): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"$command of ${name()}, which has a column `$column`,",
        "The name is that of a hidden column. Rename the column, or change the rows with DuckDB.",
      )
    )

  /** Whether the catalog alone knows the rows; else Spark looks for them. */
  override def canDeleteWhere(predicates: Array[Predicate]): Boolean =
    onDriver(catalogDelete.isPossible(predicates.toVector))

  override def deleteWhere(predicates: Array[Predicate]): Unit =
    onDriver(catalogDelete.run(predicates.toVector))

  /** TRUNCATE, for which Spark loads the table as if to read it. */
  override def truncateTable(): Boolean = onDriver {
    catalogDelete.run(Vector.empty)
    true
  }

  private def catalogDelete: CatalogDelete = new CatalogDelete(session, snapshot, table)

  private def identity: (Any, Any, Any) =
    (session.config.lake, table, snapshot.snapshot)

  override def equals(other: Any): Boolean = other match {
    case that: DuckLakeTable => identity == that.identity
    case _ => false
  }

  override def hashCode(): Int = identity.hashCode()

  override def toString: String = s"${name()}@${version()}"
}
