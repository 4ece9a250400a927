package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.internal.SQLConf

/** Spark's settings for the variants of new files. */
private[spark] object VariantSettings {

  /** Whether the first rows of a file say which columns the values of its variants get. */
  def infersColumns: Boolean = {
    val conf = SQLConf.get
    conf.getConf(SQLConf.VARIANT_WRITE_SHREDDING_ENABLED) &&
    conf.getConf(SQLConf.VARIANT_INFER_SHREDDING_SCHEMA)
  }
}
