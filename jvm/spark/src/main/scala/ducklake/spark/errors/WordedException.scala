package ducklake.spark.errors

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

/** An error with a condition of Spark, in words that say what to do. Programs that check the
  * condition still find it.
  */
final class WordedException(
    condition: String,
    text: String,
    state: String,
    parameters: Map[String, String],
) extends AnalysisException(
      s"[$condition] $text SQLSTATE: $state",
      None,
      None,
      None,
      Some(condition),
      parameters,
      Array.empty[QueryContext],
    ) {
  override def getSqlState: String = state

  /** Returns this exception unchanged. Spark's own method would use the text of Spark's list. */
  override def withPosition(origin: Origin): AnalysisException = this
}
