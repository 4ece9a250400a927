package ducklake.spark.parquet.write

import ducklake.files.store.CatalogFileSystem
import ducklake.spark.config.HadoopSettings
import ducklake.spark.config.WriteConfig
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** The Hadoop configuration with which tasks write. The driver makes it once for each write. */
object WriteHadoopConf {

  def broadcast(session: SparkSession, own: HadoopSettings): Broadcast[TaskHadoopConf] =
    TaskHadoopConf.broadcast(session.sparkContext, ofSession(session, own))

  /** The Hadoop settings of the session and of the catalog. */
  def ofSession(session: SparkSession, own: HadoopSettings): Configuration =
    CatalogFileSystem.scope(session.sessionState.newHadoopConf(), own.values)

  /** The configuration for the files of one task, with the lake's options. It is a copy, because
    * all tasks of an executor share `conf`. All files of a task share the copy, because making it
    * takes as long as writing a small file.
    */
  def forFiles(conf: Configuration, config: WriteConfig): Configuration = {
    val own = new Configuration(conf)
    config.level.foreach(own.setInt("parquet.compression.codec.zstd.level", _))
    own
  }

  /** Like [[forFiles]], with the settings that Spark's Parquet writer requires. The types in the
    * file are ours.
    */
  def forRows(conf: Configuration, config: WriteConfig, rowType: StructType): Configuration = {
    val own = forFiles(conf, config)
    ParquetWriteSupport.setSchema(rowType, own)
    own.set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key, "TIMESTAMP_MICROS")
    own.setBoolean(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key, false)
    own.setBoolean(SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED.key, false)
    own.setBoolean(SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key, false)
    own.setBoolean("spark.sql.parquet.variant.annotateLogicalType.enabled", true)
    own
  }

  /** Settings with which Spark's writer leaves dates and timestamps unchanged. */
  def sqlConf(): SQLConf = {
    val conf = new SQLConf
    conf.setConfString(SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key, "CORRECTED")
    conf
  }
}
