package ducklake.spark

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.extension.address.SnapshotOfOptions
import ducklake.spark.extension.address.TableAddress
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.SupportsCatalogOptions
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util
import java.util.Optional

import scala.jdk.OptionConverters.RichOption

/** The data source `ducklake`: `format("ducklake")` of readers, writers and streams. Its options
  * name a table, which comes from the catalog of its lake.
  *
  * Spark asks batches for the catalog and the name in it, and streams for the table itself. The
  * tables of streams are those that `readStream.table` and `toTable` get.
  */
final class DuckLakeSource extends SupportsCatalogOptions with DataSourceRegister {

  override def shortName(): String = "ducklake"

  override def extractIdentifier(options: CaseInsensitiveStringMap): Identifier =
    onServedSpark(TableAddress.ofBatch(options).ident)

  override def extractCatalog(options: CaseInsensitiveStringMap): String =
    onServedSpark(TableAddress.of(options).lake.name())

  override def extractTimeTravelVersion(options: CaseInsensitiveStringMap): Optional[String] =
    onDriver(SnapshotOfOptions.version(options, extractIdentifier(options)).toJava)

  override def extractTimeTravelTimestamp(options: CaseInsensitiveStringMap): Optional[String] =
    onDriver(SnapshotOfOptions.timestamp(options, extractIdentifier(options)).toJava)

  /** The columns of the table of a stream. Spark only hands them back to [[getTable]]. */
  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    StructType(streamed(options).columns().map { column =>
      StructField(column.name(), column.dataType(), column.nullable())
    })

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String],
  ): Table = streamed(new CaseInsensitiveStringMap(properties))

  private def streamed(options: CaseInsensitiveStringMap): Table = {
    val address = onServedSpark(TableAddress.of(options))
    address.lake.loadTable(address.ident)
  }

  private def onServedSpark[A](body: => A): A = onDriver {
    ServedSpark.check()
    body
  }
}
