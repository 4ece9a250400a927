package ducklake.spark.extension

import org.apache.spark.sql.catalyst.plans.logical.WriteDelta

/** The filter of whole files in a row-level statement. */
private[extension] object GroupFilter {

  /** The statement without the filter. The filter also reads hidden columns, and our scans of
    * row-level statements have no file filter.
    */
  def removed(write: WriteDelta): WriteDelta = write.copy(groupFilterCondition = None)
}
