package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

/** The known facts about one partition key in one file.
  *
  * @param stated the value by the file's path; None when the path has no folder for the key, Some
  *   of None when the folder stands for NULL
  * @param statistics of the key's column in the file, in the column's type; None when the file
  *   lacks the column
  */
final case class PartitionKeyFacts(
    column: String,
    lakeType: LakeType.Primitive,
    transform: Transform,
    stated: Option[Option[String]],
    statistics: Option[ColumnStatistics],
)

/** Why a file has no certain value for a partition key. */
sealed trait PartitionProblem {
  def key: PartitionKeyFacts
}

object PartitionProblem {

  /** The text in the path is no value of the key. */
  final case class NotAValue(key: PartitionKeyFacts, text: String) extends PartitionProblem

  /** The file has a row whose value differs from the path's value.
    *
    * @param found a value of the key's column in the file
    */
  final case class Contradicted(key: PartitionKeyFacts, found: Literal) extends PartitionProblem

  /** The statistics allow rows with values other than the path's value. */
  final case class MayDiffer(key: PartitionKeyFacts) extends PartitionProblem

  /** The path has no folder for the key, and the statistics do not prove that all rows have one
    * value.
    */
  final case class NotProven(key: PartitionKeyFacts) extends PartitionProblem
}
