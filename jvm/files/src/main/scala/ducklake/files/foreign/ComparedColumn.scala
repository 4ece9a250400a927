package ducklake.files.foreign

import ducklake.catalog.types.LakeType
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import java.math.BigInteger

/** A column whose values are compared with those of another file. Types that a table of Iceberg may
  * widen into each other have the same kind, and equal numbers of them are the same value. Floating
  * numbers are compared by their bits: a NaN is equal to a NaN, and the zeros differ.
  *
  * Source: Iceberg's specification, schema evolution; its own reader, e2e/test_equality_deletes.
  *
  * @param kind the widest type
  */
private[foreign] final class ComparedColumn private (
    column: ColumnDescriptor,
    val kind: LakeType.Primitive,
) {

  /** The value in the row of the reader: null, or an object with `equals`. */
  def value(reader: ColumnReader): AnyRef =
    if (!ColumnGroups.isPresent(reader)) ComparedColumn.Null
    else
      (kind, column.getPrimitiveType.getPrimitiveTypeName) match {
        case (_, PrimitiveTypeName.BOOLEAN) => Boolean.box(reader.getBoolean)
        case (_, PrimitiveTypeName.FLOAT) => bits(reader.getFloat.toDouble)
        case (_, PrimitiveTypeName.DOUBLE) => bits(reader.getDouble)
        case (_: LakeType.Decimal, PrimitiveTypeName.INT32) => unscaled(reader.getInteger.toLong)
        case (_: LakeType.Decimal, PrimitiveTypeName.INT64) => unscaled(reader.getLong)
        case (_: LakeType.Decimal, _) => new BigInteger(reader.getBinary.getBytes)
        case (_, PrimitiveTypeName.INT32) => Long.box(reader.getInteger.toLong)
        case (_, PrimitiveTypeName.INT64) => Long.box(reader.getLong)
        case _ => reader.getBinary.copy()
      }

  private def bits(number: Double): AnyRef = Long.box(java.lang.Double.doubleToLongBits(number))

  private def unscaled(number: Long): AnyRef = BigInteger.valueOf(number)
}

private[foreign] object ComparedColumn {

  /** The value of NULL, which is equal to itself. */
  object Null

  /** Digits of the widest decimal. */
  private val Widest = 38

  /** None for a type whose values are not compared. */
  def of(column: ColumnDescriptor): Option[ComparedColumn] =
    Option(column.getPrimitiveType)
      .filter(_.getPrimitiveTypeName != PrimitiveTypeName.INT96)
      .flatMap(ParquetColumns.typeOf)
      .flatMap(kindOf)
      .map(new ComparedColumn(column, _))

  private def kindOf(lakeType: LakeType.Primitive): Option[LakeType.Primitive] =
    PartialFunction.condOpt(lakeType) {
      case LakeType.Int32 | LakeType.Int64 => LakeType.Int64
      case LakeType.Float32 | LakeType.Float64 => LakeType.Float64
      case LakeType.Decimal(_, scale) => LakeType.Decimal(Widest, scale)
      case LakeType.Bool | LakeType.Date | LakeType.Time | LakeType.Timestamp |
          LakeType.TimestampTz | LakeType.TimestampNs | LakeType.Varchar | LakeType.Uuid |
          LakeType.Blob =>
        lakeType
    }
}
