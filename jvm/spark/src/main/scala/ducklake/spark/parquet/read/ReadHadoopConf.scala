package ducklake.spark.parquet.read

import ducklake.files.store.CatalogFileSystem
import ducklake.spark.config.HadoopSettings
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport
import org.apache.spark.sql.internal.SQLConf

/** The Hadoop configuration with which tasks read. The driver makes it once for each scan. */
object ReadHadoopConf {

  /** Broadcasts the Hadoop settings of the session and of the catalog, with the settings that
    * Spark's Parquet reader requires.
    */
  def broadcast(session: SparkSession, own: HadoopSettings): Broadcast[TaskHadoopConf] =
    TaskHadoopConf.broadcast(session.sparkContext, onDriver(session, own))

  /** The same settings for files that the driver reads. */
  def onDriver(session: SparkSession, own: HadoopSettings): Configuration =
    complete(CatalogFileSystem.scope(session.sessionState.newHadoopConf(), own.values))

  /** Sets the reader's keys: columns are matched by their exact names, and every type is read as
    * requested.
    */
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
