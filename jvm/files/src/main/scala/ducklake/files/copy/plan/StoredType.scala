package ducklake.files.copy.plan

import ducklake.catalog.types.LakeType
import ducklake.files.parquet.LogicalTypes
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.*
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Types

/** How a file stores the values of a column.
  *
  * @param length of values of a fixed length, else 0
  */
private[plan] final case class StoredType(
    name: PrimitiveTypeName,
    length: Int,
    meaning: Option[LogicalTypeAnnotation],
) {

  /** Whether values of this type, or the same numbers in more bytes, are values of the other type.
    */
  def becomes(other: StoredType): Boolean = {
    val isSameWidth = name == other.name && length == other.length
    (meaning, other.meaning) match {
      case _ if this == other => true
      case (Some(_: StringLogicalTypeAnnotation), Some(_: JsonLogicalTypeAnnotation)) => isSameWidth
      case (Some(_: JsonLogicalTypeAnnotation), Some(_: StringLogicalTypeAnnotation)) => isSameWidth
      case (Some(own: DecimalLogicalTypeAnnotation), Some(wide: DecimalLogicalTypeAnnotation)) =>
        own.getScale == wide.getScale && own.getPrecision <= wide.getPrecision && isWidened(other)
      case (None, None) =>
        name == PrimitiveTypeName.FLOAT && other.name == PrimitiveTypeName.DOUBLE
      case _ =>
        wholeNumber.zip(other.wholeNumber).exists { case (own, wide) => own.fits(wide) }
    }
  }

  /** Whether decimals of this width are sign-extended to the other width. */
  private def isWidened(other: StoredType): Boolean =
    (name, other.name) match {
      case (PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY) =>
        length <= other.length
      case (PrimitiveTypeName.INT32, PrimitiveTypeName.INT32 | PrimitiveTypeName.INT64) => true
      case (PrimitiveTypeName.INT64, PrimitiveTypeName.INT64) => true
      case _ => false
    }

  /** The numbers of a type for whole numbers. */
  private[plan] def wholeNumber: Option[StoredType.WholeNumber] =
    (name, meaning) match {
      case (PrimitiveTypeName.INT32, None) => Some(StoredType.WholeNumber(32, isSigned = true))
      case (PrimitiveTypeName.INT64, None) => Some(StoredType.WholeNumber(64, isSigned = true))
      case (_, Some(int: IntLogicalTypeAnnotation)) =>
        Some(StoredType.WholeNumber(int.getBitWidth, int.isSigned))
      case _ => None
    }

  /** A column of this type that is otherwise like `blank`. */
  def in(blank: PrimitiveType): PrimitiveType = {
    val plain = Types.primitive(name, blank.getRepetition)
    val sized = if (length > 0) plain.length(length) else plain
    val known = Option(blank.getId).fold(sized)(id => sized.id(id.intValue))
    meaning.fold(known)(annotation => known.as(annotation)).named(blank.getName)
  }
}

private[plan] object StoredType {

  def of(stored: PrimitiveType): StoredType =
    StoredType(
      stored.getPrimitiveTypeName,
      stored.getTypeLength,
      Option(stored.getLogicalTypeAnnotation),
    )

  /** The type of a column in a new file, so that the values of all files keep their bits; None when
    * values need a conversion.
    *
    * @param blank the type that the column has in a file of new rows
    * @param stored how the files store the column; empty when no file has the column
    */
  def common(
      lakeType: LakeType.Primitive,
      blank: PrimitiveType,
      stored: Vector[PrimitiveType],
  ): Option[PrimitiveType] = {
    val usual = of(blank)
    val found = stored.map(of).distinct
    if (found.forall(_.becomes(usual)))
      Some((if (found.sizeIs == 1) own(found.head, usual) else usual).in(blank))
    else {
      val longest = usual.copy(length = (usual +: found).map(_.length).max)
      found match {
        case _ if isLongDecimal(usual) && found.forall(_.becomes(longest)) =>
          Some(longest.in(blank))
        case Vector(one) if isKept(one, lakeType) => Some(one.in(blank))
        case _ => None
      }
    }
  }

  /** Decimals of a fixed length do not change when all files have the same length. */
  private def own(found: StoredType, usual: StoredType): StoredType =
    if (isLongDecimal(usual)) usual.copy(length = found.length) else usual

  private def isLongDecimal(stored: StoredType): Boolean =
    stored.name == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY && stored.meaning.exists {
      case _: DecimalLogicalTypeAnnotation => true
      case _ => false
    }

  /** Types that our new rows do not get, but that files of DuckDB, or of our flushes, have. */
  private def isKept(stored: StoredType, lakeType: LakeType.Primitive): Boolean =
    (lakeType, stored.name, stored.meaning) match {
      case (LakeType.Int128 | LakeType.UInt128, PrimitiveTypeName.DOUBLE, None) => true
      case (LakeType.Interval, _, Some(_: IntervalLogicalTypeAnnotation)) => true
      case (LakeType.TimeTz, PrimitiveTypeName.BINARY, Some(_: StringLogicalTypeAnnotation)) => true
      case (LakeType.Geometry(_), PrimitiveTypeName.BINARY, Some(meaning)) =>
        LogicalTypes.isGeometry(meaning)
      case (LakeType.Unknown(_) | LakeType.TimeNs, _, _) => true
      case _ => false
    }

  private[plan] final case class WholeNumber(bits: Int, isSigned: Boolean) {

    /** Whether every number of this type is a number of the other type, in the same bits or in
      * more.
      */
    def fits(other: WholeNumber): Boolean =
      if (isSigned == other.isSigned) bits <= other.bits else !isSigned && bits < other.bits
  }
}
