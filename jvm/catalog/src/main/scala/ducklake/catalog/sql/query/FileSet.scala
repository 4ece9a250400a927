package ducklake.catalog.sql.query

import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType

/** Files by the statistics of their columns, as sets that a statement combines. */
sealed trait FileSet

object FileSet {

  /** The files with a row of statistics of the column that meets a condition on the columns of
    * [[CandidateSql.bounds]].
    *
    * @param bounds the expressions of the minimum and the maximum
    */
  final case class Meeting(column: ColumnId, bounds: BoundForm, condition: Sql) extends FileSet
  final case class Both(left: FileSet, right: FileSet) extends FileSet
  final case class Either(left: FileSet, right: FileSet) extends FileSet

  /** The columns whose statistics decide. */
  def columns(set: FileSet): Vector[ColumnId] = set match {
    case Meeting(column, _, _) => Vector(column)
    case Both(left, right) => columns(left) ++ columns(right)
    case Either(left, right) => columns(left) ++ columns(right)
  }

  def both(left: FileSet, right: FileSet): FileSet = (left, right) match {
    case (Meeting(one, form, a), Meeting(other, _, b)) if one == other =>
      Meeting(one, form, sql"($a AND $b)")
    case _ => Both(left, right)
  }

  def either(left: FileSet, right: FileSet): FileSet = (left, right) match {
    case (Meeting(one, form, a), Meeting(other, _, b)) if one == other =>
      Meeting(one, form, sql"($a OR $b)")
    case _ => Either(left, right)
  }
}

/** How the bounds of a column are compared in SQL. */
sealed trait BoundForm

object BoundForm {
  final case class Whole(greatest: Long) extends BoundForm
  case object Date extends BoundForm
  final case class Timestamp(zone: String) extends BoundForm
  case object Text extends BoundForm

  /** Only the counts are used. */
  case object None extends BoundForm

  def of(lakeType: LakeType.Primitive): BoundForm = lakeType match {
    case LakeType.Int8 => Whole(Byte.MaxValue.toLong)
    case LakeType.Int16 => Whole(Short.MaxValue.toLong)
    case LakeType.Int32 => Whole(Int.MaxValue.toLong)
    case LakeType.Int64 => Whole(Long.MaxValue)
    case LakeType.Date => Date
    case LakeType.Timestamp => Timestamp("")
    case LakeType.TimestampTz => Timestamp("+00")
    case LakeType.Varchar => Text
    case _ => None
  }
}
