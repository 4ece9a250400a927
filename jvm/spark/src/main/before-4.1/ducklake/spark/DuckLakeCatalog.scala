package ducklake.spark

import ducklake.spark.ddl.TableDescription
import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.StagedTable
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.expressions.Transform

import java.util

import scala.jdk.CollectionConverters.MapHasAsScala

/** The catalog plugin, registered as `spark.sql.catalog.<name>`. Its methods only delegate. */
final class DuckLakeCatalog extends CommonCatalog {

  override def loadTable(ident: Identifier): Table = onDriver(relations.tableBefore42(ident))

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String],
  ): Table = onDriver(tables.create(ident, described(columns, partitions, properties)))

  override def stageCreate(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String],
  ): StagedTable = onDriver(staging.create(ident, described(columns, partitions, properties)))

  override def stageReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String],
  ): StagedTable = onDriver(staging.replace(ident, described(columns, partitions, properties)))

  override def stageCreateOrReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String],
  ): StagedTable =
    onDriver(staging.createOrReplace(ident, described(columns, partitions, properties)))

  /** Spark 4.0 has no constraints in its catalog interface: its parser refuses them. */
  private def described(
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String],
  ): TableDescription =
    TableDescription(
      columns.toVector,
      partitions.toVector,
      properties.asScala.toMap,
      hasConstraints = false,
    )
}
