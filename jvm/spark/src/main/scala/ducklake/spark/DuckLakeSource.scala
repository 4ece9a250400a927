package ducklake.spark

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableProvider
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** The data source `ducklake`. Spark needs it to accept
  * `df.write.format("ducklake").saveAsTable("lake.s.t")`; the tables themselves come from the
  * catalog.
  */
final class DuckLakeSource extends TableProvider with DataSourceRegister {

  override def shortName(): String = "ducklake"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = refuse()

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String],
  ): Table = refuse()

  private def refuse(): Nothing = onDriver {
    throw new LakeException(
      LakeError.Unsupported(
        "Reading or writing format `ducklake` without a catalog",
        "Register the lake as a catalog and name the table: `lake.schema.table`.",
      )
    )
  }
}
