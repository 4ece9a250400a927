package ducklake.spark.extension

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.plans.logical.AppendData

/** An append that adds new columns of the query to the table. */
private[extension] object EvolvingAppend {

  /** The append to a target with other options. */
  def of(append: AppendData, target: NamedRelation, options: Map[String, String]): AppendData =
    if (append.isByName) AppendData.byName(target, append.query, options, true)
    else AppendData.byPosition(target, append.query, options, true)
}
