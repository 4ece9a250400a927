package ducklake.spark.parquet.read

import ducklake.spark.sparkapi.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport
import org.apache.spark.sql.internal.SQLConf

/** The Hadoop configuration that tasks read with, made on the driver once per scan. */
object ReadHadoopConf {

  /** The session's Hadoop settings, and what Spark's Parquet reader insists on. */
  def broadcast(session: SparkSession): Broadcast[TaskHadoopConf] =
    TaskHadoopConf.broadcast(session.sparkContext, complete(session.sessionState.newHadoopConf()))

  /** Sets the reader's keys: columns are matched by exact name, and every type is taken as asked. */
  def complete(conf: Configuration): Configuration = {
    conf.set(ParquetInputFormat.READ_SUPPORT_CLASS, classOf[ParquetReadSupport].getName)
    conf.setBoolean(SQLConf.CASE_SENSITIVE.key, true)
    conf.setBoolean(SQLConf.PARQUET_BINARY_AS_STRING.key, false)
    conf.setBoolean(SQLConf.PARQUET_INT96_AS_TIMESTAMP.key, true)
    conf.setBoolean(SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED.key, true)
    conf.setBoolean(SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key, true)
    conf.setBoolean(SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key, false)
    conf.setBoolean(SQLConf.NESTED_SCHEMA_PRUNING_ENABLED.key, true)
    conf.setBoolean("spark.sql.legacy.parquet.returnNullStructIfAllFieldsMissing", false)
    conf.unset(ParquetInputFormat.FILTER_PREDICATE)
    conf
  }
}
