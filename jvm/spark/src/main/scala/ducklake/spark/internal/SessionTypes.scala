package ducklake.spark.internal

import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.internal.SQLConf

/** What the session decides about types. */
private[spark] object SessionTypes {

  /** TIME columns appear as TIME only where the session can work with them. */
  def timeRule(): TimeRule =
    if (SQLConf.get.isTimeTypeEnabled) TimeRule.AsTime else TimeRule.AsString
}
