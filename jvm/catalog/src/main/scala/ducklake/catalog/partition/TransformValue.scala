package ducklake.catalog.partition

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

/** The partition value of a column's value: the text that is stored in
  * `ducklake_file_partition_value`.
  *
  * Source: spec 1.0, ducklake_file_partition_value; DuckDB 1.5.5, observed (format 8.2).
  */
object TransformValue {

  /** The text. None stands for NULL: the partition value of NULL, and the calendar part or
    * the ordinal of an infinite value. Calendar parts of a `timestamptz` are in UTC.
    *
    * Errors: why the type does not support the transform.
    */
  def text(
      transform: Transform,
      literal: Literal,
      lakeType: LakeType.Primitive,
  ): Either[String, Option[String]] =
    Either.cond(
      accepts(transform, lakeType),
      if (literal == Literal.Null) None else ofValue(transform, literal, lakeType),
      s"${TransformText.print(transform)} cannot be taken of this type",
    )

  /** Whether the type supports the transform. */
  def accepts(transform: Transform, lakeType: LakeType.Primitive): Boolean =
    transform match {
      case Transform.Identity | Transform.Bucket(_) => hasText(lakeType)
      case Transform.Year | Transform.Month | Transform.Day => hasDate(lakeType)
      case Transform.Epoch(_) => hasDate(lakeType)
      case Transform.Hour => hasDate(lakeType) || hasClock(lakeType)
    }

  private def ofValue(
      transform: Transform,
      literal: Literal,
      lakeType: LakeType.Primitive,
  ): Option[String] =
    transform match {
      case Transform.Identity => ValueText.print(literal, lakeType)
      case Transform.Bucket(count) => Bucket.of(literal, lakeType, count).map(_.toString)
      case Transform.Epoch(unit) => EpochOrdinal.of(unit, literal, lakeType).map(_.toString)
      case calendar: Transform.Calendar =>
        CalendarParts.of(calendar, literal, lakeType).map(_.toString)
    }

  private def hasText(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Variant | LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) =>
        false
      case _ => true
    }

  private[partition] def hasDate(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Date | LakeType.Timestamp | LakeType.TimestampS | LakeType.TimestampMs |
          LakeType.TimestampNs | LakeType.TimestampTz | LakeType.TimestampTzNs =>
        true
      case _ => false
    }

  private def hasClock(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Time | LakeType.TimeNs | LakeType.TimeTz => true
      case _ => false
    }
}
