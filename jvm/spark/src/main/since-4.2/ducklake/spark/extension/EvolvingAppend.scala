package ducklake.spark.extension

import org.apache.spark.sql.catalyst.plans.logical.AppendData

/** An append that adds new columns of the query to the table. */
private[extension] object EvolvingAppend {

  /** The append with other options. */
  def of(append: AppendData, options: Map[String, String]): AppendData =
    if (append.isByName) AppendData.byName(append.table, append.query, options, true)
    else AppendData.byPosition(append.table, append.query, options, true)
}
