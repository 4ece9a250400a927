package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions.MergeSchema
import ducklake.spark.errors.SparkErrors
import ducklake.spark.sparkapi.catalog.EvolvingTable
import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.plans.logical.AppendData

/** An append that adds new columns of the query to the table. */
private[extension] object EvolvingAppend {

  /** Refuses the append: Spark has it from 4.2 on. Errors: InvalidSetting. */
  def of(
      @annotation.unused append: AppendData,
      @annotation.unused target: NamedRelation,
      @annotation.unused options: Map[String, String],
  ): AppendData =
    SparkErrors.onDriver(
      SparkErrors.raise(
        LakeError.InvalidSetting(
          MergeSchema,
          "is not obeyed by Spark before 4.2",
          EvolvingTable.Way,
        )
      )
    )
}
