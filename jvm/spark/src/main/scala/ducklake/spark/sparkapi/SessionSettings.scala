package ducklake.spark.sparkapi

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/** Spark's own settings that we obey. */
private[spark] object SessionSettings {

  /** How Spark cuts files into tasks.
    *
    * @param parallelism how many tasks Spark would like at least
    */
  final case class Split(maxBytes: Long, openCost: Long, parallelism: Int)

  def split(): Split = {
    val conf = SQLConf.get
    val parallelism = conf.filesMinPartitionNum
      .orElse(conf.getConf(SQLConf.LEAF_NODE_DEFAULT_PARALLELISM))
      .getOrElse(SparkSession.active.sparkContext.defaultParallelism)
    Split(conf.filesMaxPartitionBytes, conf.filesOpenCostInBytes, parallelism)
  }

  /** Whether Spark joins by the partitions a scan reports. */
  def joinsByPartition: Boolean = SQLConf.get.v2BucketingEnabled

  /** Whether the session can work with columns of type TIME. */
  def hasTimeType: Boolean = SQLConf.get.isTimeTypeEnabled

  /** A setting of ours; None where it is not set. */
  def text(key: String): Option[String] =
    SparkSession.getActiveSession.flatMap(_.conf.getOption(key))

  /** Whether names that differ in case are two for Spark. */
  def isCaseSensitive: Boolean = SQLConf.get.caseSensitiveAnalysis

  /** Rows of a batch. */
  def batchRows: Int = SQLConf.get.parquetVectorizedReaderBatchSize

  def isOffHeap: Boolean = SQLConf.get.offHeapColumnVectorEnabled

  /** Column statistics cost a statement; Spark reads them only with one of these on. */
  def wantsColumnStatistics: Boolean = {
    val conf = SQLConf.get
    conf.cboEnabled || conf.planStatsEnabled
  }
}
