package ducklake.spark.sparkapi

import org.apache.spark.SparkContext

/** Jobs of our own with a description in Spark's UI. */
private[spark] object NamedJob {
  private val Description = "spark.job.description"

  /** Runs `body`, whose jobs have the description. */
  def run[A](context: SparkContext, description: String)(body: => A): A = {
    val before = context.getLocalProperty(Description)
    context.setLocalProperty(Description, description)
    try body
    finally context.setLocalProperty(Description, before)
  }
}
