package ducklake.spark.parquet.write

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.spark.SPARK_VERSION_SHORT
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport

import scala.jdk.CollectionConverters.MapHasAsJava

/** Writes rows with Spark's own write support into our own schema, which has the same shape, field
  * ids on every node and DuckDB's logical types. Spark writes by position, so our names and
  * annotations may differ from Spark's.
  *
  * The file's metadata must contain Spark's version. Without it Spark reads dates by the rules of
  * its oldest versions.
  *
  * The configuration comes from [[WriteHadoopConf.forRows]] and contains the types of the rows.
  * The files of a task share it, and each may have other columns for its variants.
  */
private[write] final class IdWriteSupport(columns: VariantLayout) extends ParquetWriteSupport {

  override def init(conf: Configuration): WriteContext = {
    ParquetWriteSupport.setShreddingSchema(columns.rowType, conf)
    super.init(conf): Unit
    new WriteContext(columns.message, IdWriteSupport.metadata.asJava)
  }
}

object IdWriteSupport {

  /** The metadata of files in addition to their schema. */
  val metadata: Map[String, String] = Map("org.apache.spark.version" -> SPARK_VERSION_SHORT)
}
