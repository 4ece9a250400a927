package ducklake.spark

import ducklake.spark.ddl.TableDescription
import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.connector.catalog.*

import scala.jdk.CollectionConverters.MapHasAsScala

/** The catalog plugin of a Spark that describes a new table by a `TableInfo`. */
abstract class TableInfoCatalog extends CommonCatalog {

  override def listTableSummaries(namespace: Array[String]): Array[TableSummary] =
    listTables(namespace).map(TableSummary.of(_, TableSummary.MANAGED_TABLE_TYPE))

  override def createTable(ident: Identifier, info: TableInfo): Table =
    onDriver(tables.create(ident, described(info)))

  override def stageCreate(ident: Identifier, info: TableInfo): StagedTable =
    onDriver(staging.create(ident, described(info)))

  override def stageReplace(ident: Identifier, info: TableInfo): StagedTable =
    onDriver(staging.replace(ident, described(info)))

  override def stageCreateOrReplace(ident: Identifier, info: TableInfo): StagedTable =
    onDriver(staging.createOrReplace(ident, described(info)))

  protected def described(info: TableInfo): TableDescription =
    TableDescription(
      info.columns().toVector,
      info.partitions().toVector,
      info.properties().asScala.toMap,
      info.constraints().nonEmpty,
    )
}
