package ducklake.spark.maintenance.compact

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.Predicate
import ducklake.spark.errors.SparkErrors
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.predicate.Untranslated
import ducklake.spark.sparkapi.sql.ConditionText
import ducklake.spark.types.SparkColumns
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** The files of a table that a compaction may take. */
private[spark] sealed trait FilesWhere {

  /** What is asked of the catalog to list these files. */
  def request(table: LakeTable, timeRule: SparkTypes.TimeRule): FileRequest
}

private[spark] object FilesWhere {

  case object All extends FilesWhere {
    override def request(table: LakeTable, timeRule: SparkTypes.TimeRule): FileRequest =
      FileRequest.everyFile
  }

  /** The files that can hold rows for which a condition is true, by their partition values and the
    * bounds of their columns. They are taken with all their rows.
    *
    * @param procedure whose argument `where` the condition is
    * @param condition text of SQL
    */
  final case class MayMatch(procedure: String, condition: String) extends FilesWhere {

    /** Errors: InvalidArgument for a part of the condition that neither partition values nor bounds
      * decide; Spark's own errors for a text that is no condition on the table's columns.
      */
    override def request(table: LakeTable, timeRule: SparkTypes.TimeRule): FileRequest =
      FileRequest.everyFile.copy(predicates = predicates(table, timeRule))

    private def predicates(table: LakeTable, timeRule: SparkTypes.TimeRule): Vector[Predicate] = {
      val fields = SparkColumns
        .of(table.columns, timeRule, TextLengths.none)
        .map(column => StructField(column.name, column.dataType, column.nullable))
      val translator = new SparkPredicates(table.columns)
      ConditionText.predicates(condition, StructType(fields)) match {
        case Left(part) => refuse(part, "no minimum and maximum can decide it")
        case Right(parts) =>
          parts.map { part =>
            translator
              .translate(part)
              .getOrElse(refuse(part.toString, new Untranslated(translator).why(part)))
          }
      }
    }

    private def refuse(part: String, why: String): Nothing =
      SparkErrors.raise(
        LakeError.InvalidArgument(procedure, "where", s"cannot choose files by $part: $why")
      )
  }
}
