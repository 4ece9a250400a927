package ducklake.spark.delete

import org.apache.spark.sql.connector.expressions.filter.Predicate

/** Which rows of a table a write replaces. */
sealed trait OverwriteMode

object OverwriteMode {

  /** No rows: an append. */
  case object Nothing extends OverwriteMode

  /** All rows of the table. */
  case object Everything extends OverwriteMode

  /** The rows for which all filters are true. */
  final case class Matching(predicates: Vector[Predicate]) extends OverwriteMode

  /** The rows of the partitions that get new rows, by the table's present layout. */
  case object Partitions extends OverwriteMode

  /** The first part of a description of the write; the table's name follows. */
  def described(mode: OverwriteMode): String = mode match {
    case Nothing => "append to"
    case Everything => "replace all rows of"
    case Matching(predicates) => s"replace the rows where ${predicates.mkString(" AND ")} of"
    case Partitions => "replace the written partitions of"
  }

  /** The rows for which all filters are true. */
  def of(predicates: Vector[Predicate]): OverwriteMode =
    if (predicates.forall(_.name() == "ALWAYS_TRUE")) Everything else Matching(predicates)
}
