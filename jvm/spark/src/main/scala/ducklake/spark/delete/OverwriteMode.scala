package ducklake.spark.delete

import org.apache.spark.sql.connector.expressions.filter.Predicate

/** Which rows a write puts its own in the place of. */
sealed trait OverwriteMode

object OverwriteMode {

  /** None: an append. */
  case object Nothing extends OverwriteMode

  /** All rows of the table. */
  case object Everything extends OverwriteMode

  /** Those for which all filters are true. */
  final case class Matching(predicates: Vector[Predicate]) extends OverwriteMode

  /** Those of the partitions that get new rows, by the table's present layout. */
  case object Partitions extends OverwriteMode

  /** For people: what a write does, the table's name to follow. */
  def described(replacement: OverwriteMode): String = replacement match {
    case Nothing => "append to"
    case Everything => "replace all rows of"
    case Matching(predicates) => s"replace the rows where ${predicates.mkString(" AND ")} of"
    case Partitions => "replace the written partitions of"
  }

  /** The rows for which all filters are true. */
  def of(predicates: Vector[Predicate]): OverwriteMode =
    if (predicates.forall(_.name() == "ALWAYS_TRUE")) Everything else Matching(predicates)
}
