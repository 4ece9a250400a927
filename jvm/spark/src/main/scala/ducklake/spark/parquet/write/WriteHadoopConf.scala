package ducklake.spark.parquet.write

import ducklake.spark.config.WriteConfig
import ducklake.spark.sparkapi.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** The Hadoop configuration that tasks write with, made on the driver once per write. */
object WriteHadoopConf {

  def broadcast(session: SparkSession): Broadcast[TaskHadoopConf] =
    TaskHadoopConf.broadcast(session.sparkContext, ofSession(session))

  /** The session's Hadoop settings. */
  def ofSession(session: SparkSession): Configuration = session.sessionState.newHadoopConf()

  /** For the files of one task, with the lake's options. A copy, for the tasks of an executor share what
    * they are given; one for all files, for a copy takes as long as writing a small file.
    */
  def forFiles(conf: Configuration, config: WriteConfig): Configuration = {
    val own = new Configuration(conf)
    config.level.foreach(own.setInt("parquet.compression.codec.zstd.level", _))
    own
  }

  /** As [[forFiles]], with what Spark's Parquet writer insists on; the types in the file are ours. */
  def forRows(conf: Configuration, config: WriteConfig, rowType: StructType): Configuration = {
    val own = forFiles(conf, config)
    ParquetWriteSupport.setSchema(rowType, own)
    own.set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key, "TIMESTAMP_MICROS")
    own.setBoolean(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key, false)
    own.setBoolean(SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED.key, false)
    own.setBoolean(SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key, false)
    own.setBoolean(SQLConf.PARQUET_ANNOTATE_VARIANT_LOGICAL_TYPE.key, true)
    own
  }

  /** In whose presence Spark's writer leaves dates and timestamps as they are. */
  def sqlConf(): SQLConf = {
    val conf = new SQLConf
    conf.setConfString(SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key, "CORRECTED")
    conf
  }
}
