package ducklake.spark.parquet.write

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.schema.MessageType
import org.apache.spark.SPARK_VERSION_SHORT
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport

import java.util

/** Spark's writing of rows into a schema of our own: of the same shape, with ids on every node and
  * DuckDB's logical types. Rows are written by position, so names and annotations are free.
  *
  * Keep the version: Spark reads dates of files without one by the rules of its oldest versions.
  *
  * The configuration is one of [[WriteHadoopConf.forRows]], which names the types of the rows.
  */
final class IdWriteSupport(message: MessageType) extends ParquetWriteSupport {

  override def init(conf: Configuration): WriteContext = {
    super.init(conf): Unit
    new WriteContext(message, util.Map.of("org.apache.spark.version", SPARK_VERSION_SHORT))
  }
}
