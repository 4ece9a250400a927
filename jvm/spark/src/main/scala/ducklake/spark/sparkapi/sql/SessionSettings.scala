package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/** Settings of the Spark session that this module reads. */
private[spark] object SessionSettings {

  /** Spark's settings for the division of files into tasks.
    *
    * @param parallelism the least number of tasks that Spark plans
    */
  final case class Split(maxBytes: Long, openCost: Long, parallelism: Int)

  def split(): Split = {
    val conf = SQLConf.get
    val parallelism = conf.filesMinPartitionNum
      .orElse(conf.getConf(SQLConf.LEAF_NODE_DEFAULT_PARALLELISM))
      .getOrElse(SparkSession.active.sparkContext.defaultParallelism)
    Split(conf.filesMaxPartitionBytes, conf.filesOpenCostInBytes, parallelism)
  }

  /** The factor by which Spark assumes rows to be larger than their files; 1 unless the user sets
    * it.
    */
  def fileCompressionFactor: Double = SQLConf.get.fileCompressionFactor

  /** Whether Spark joins by the partitions a scan reports. */
  def joinsByPartition: Boolean = SQLConf.get.v2BucketingEnabled

  /** One of our own settings; None when it is not set. */
  def text(key: String): Option[String] =
    SparkSession.getActiveSession.flatMap(_.conf.getOption(key))

  /** The tags of the operations of this thread (`SparkSession.addTag`). A server of Spark Connect
    * puts words of its own before a client's tag.
    */
  def tags(): Set[String] = SparkSession.getActiveSession.fold(Set.empty[String]) { session =>
    session.getTags() ++ session.sparkContext.getJobTags()
  }

  /** Whether names that differ only in upper and lower case are different names for Spark. */
  def isCaseSensitive: Boolean = SQLConf.get.caseSensitiveAnalysis

  /** Whether scans take values from variants, where a query needs no more of them. */
  def pushesVariantExtractions: Boolean = SQLConf.get.getConf(SQLConf.PUSH_VARIANT_INTO_SCAN)

  /** Number of rows in a batch. */
  def batchRows: Int = SQLConf.get.parquetVectorizedReaderBatchSize

  def isOffHeap: Boolean = SQLConf.get.offHeapColumnVectorEnabled

  /** Whether Spark reads column statistics. It reads them only with one of these settings; without
    * them we save the statement that reads the statistics.
    */
  def wantsColumnStatistics: Boolean = {
    val conf = SQLConf.get
    conf.cboEnabled || conf.planStatsEnabled
  }
}
