package ducklake.catalog.registration

import ducklake.catalog.types.LakeType

/** The types that a leaf of a registered file may have for a column of the table.
  *
  * The rules are DuckDB's, with two exceptions. Decimals: DuckDB accepts fewer digits before the
  * point than the file may have, and fails when it reads a value that is too large. We refuse the
  * file. The NULL type: DuckDB registers it for INT and BIGINT, and reads it for every column.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_add_data_files; decision 11.
  */
object RegistrableTypes {

  /** Whether a column can show every value of the file's leaf. */
  def accepts(file: LakeType.Primitive, column: LakeType.Primitive): Boolean =
    (file, column) match {
      case (LakeType.NullType, _) => hasLeaf(column)
      case (small: LakeType.Decimal, large: LakeType.Decimal) => fits(small, large)
      case (same, other) if same == other => !hasNoFileType(column)
      case _ => widened(column).contains(file)
    }

  /** The file types that a column accepts in addition to its own type. */
  def widened(column: LakeType.Primitive): Set[LakeType.Primitive] =
    column match {
      case LakeType.Int16 => Set(LakeType.Int8, LakeType.UInt8)
      case LakeType.Int32 => widened(LakeType.Int16) ++ Set(LakeType.Int16, LakeType.UInt16)
      case LakeType.Int64 => widened(LakeType.Int32) ++ Set(LakeType.Int32, LakeType.UInt32)
      case LakeType.UInt16 => Set(LakeType.UInt8)
      case LakeType.UInt32 => Set(LakeType.UInt8, LakeType.UInt16)
      case LakeType.UInt64 => Set(LakeType.UInt8, LakeType.UInt16, LakeType.UInt32)
      case LakeType.Float64 => Set(LakeType.Float32)
      case LakeType.Time => Set(LakeType.TimeTz)
      case LakeType.TimestampTz => Set(LakeType.TimestampTzNs)
      case LakeType.Timestamp | LakeType.TimestampNs => everyTimestamp
      case LakeType.TimestampS | LakeType.TimestampMs => everyTimestamp - LakeType.TimestampNs
      case _ => Set.empty
    }

  private val everyTimestamp: Set[LakeType.Primitive] = Set(
    LakeType.Timestamp,
    LakeType.TimestampS,
    LakeType.TimestampMs,
    LakeType.TimestampNs,
  )

  private def fits(small: LakeType.Decimal, large: LakeType.Decimal): Boolean =
    small.scale <= large.scale && small.precision - small.scale <= large.precision - large.scale

  /** Whether every reader takes a leaf of NULLs for the column. Variants are groups in files. */
  private def hasLeaf(column: LakeType.Primitive): Boolean =
    column match {
      case LakeType.Variant | LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) =>
        false
      case _ => true
    }

  /** Types that DuckDB writes as another type, or cannot register. */
  private def hasNoFileType(column: LakeType.Primitive): Boolean =
    column match {
      case LakeType.Int128 | LakeType.UInt128 | LakeType.TimeTz | LakeType.TimeNs |
          LakeType.Variant | LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) =>
        true
      case _ => false
    }
}
