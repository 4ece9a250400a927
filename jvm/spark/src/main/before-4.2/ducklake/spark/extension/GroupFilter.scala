package ducklake.spark.extension

import org.apache.spark.sql.catalyst.plans.logical.WriteDelta

/** The filter of whole files in a row-level statement, which only Spark 4.2 and newer have. */
private[extension] object GroupFilter {
  def removed(write: WriteDelta): WriteDelta = write
}
