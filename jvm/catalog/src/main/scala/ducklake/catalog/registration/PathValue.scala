package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.bound.BoundText
import ducklake.catalog.types.text.ValueText

/** The value that all rows of a registered file have in a column, by the file's path. The catalog
  * keeps it as both bounds of the column in the file's statistics, and readers take it from there.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_add_data_files (format 12).
  */
object PathValue {

  /** The statistics that hold the value.
    *
    * @param text the decoded text in the path; None stands for NULL
    * @param rows the number of rows of the file
    *
    * Errors: why the column cannot have this value from a path.
    */
  def statistics(
      text: Option[String],
      lakeType: LakeType.Primitive,
      rows: Long,
  ): Either[String, ColumnStatistics] =
    text match {
      case None => Right(constant(None, values = 0L, nulls = rows))
      case Some(value) =>
        for {
          literal <- ValueText.parseCast(value, lakeType).toRight(s"`$value` is no such value")
          _ <- Either.cond(isKept(literal, lakeType), (), s"the catalog cannot keep `$value`")
        } yield constant(Some(literal), values = rows, nulls = 0L)
    }

  /** Whether every reader finds the value of the column in the path. DuckDB reads an instant of a
    * path in the time zone of its session.
    */
  def isIn(path: String, name: String, text: String, lakeType: LakeType.Primitive): Boolean = {
    val value = ValueText.parseCast(text, lakeType)
    lakeType != LakeType.TimestampTz && value.nonEmpty && PathKeys.of(path).exists {
      case (key, Some(found)) => key == name && ValueText.parseCast(found, lakeType) == value
      case (_, None) => false
    }
  }

  /** The statistics of a column that has this value in all rows; None stands for NULL. */
  private[registration] def constant(
      value: Option[Literal],
      values: Long,
      nulls: Long,
  ): ColumnStatistics =
    ColumnStatistics(value, value, Some(values), Some(nulls), None, Some(0L))

  /** Whether a reader gets the same value back from the stored bounds. It does not for a BLOB: in
    * bounds it is hexadecimal, and DuckDB takes it from the characters of the path.
    */
  private def isKept(literal: Literal, lakeType: LakeType.Primitive): Boolean =
    lakeType != LakeType.Blob && isBound(literal, lakeType)

  private def isBound(literal: Literal, lakeType: LakeType.Primitive): Boolean =
    BoundText.of(Some(literal), Some(literal), lakeType) match {
      case (Some(min), Some(max)) =>
        min == max && ValueText.parseStatistic(min, lakeType).contains(literal)
      case _ => false
    }
}
