package ducklake.catalog.types

/** Which parts of a variant's values have columns of their own in a file. */
sealed trait ShreddedType

object ShreddedType {

  /** No column: the value stays in the variant's binary. */
  case object Whole extends ShreddedType

  /** A column for values of this type. */
  final case class Value(lakeType: LakeType.Primitive) extends ShreddedType

  /** The items of a list. */
  final case class Items(element: ShreddedType) extends ShreddedType

  /** Fields of an object, in the order of their columns. */
  final case class Fields(fields: Vector[(String, ShreddedType)]) extends ShreddedType

  /** Whether a variant may hold values of the type. */
  def isOfVariants(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Bool | LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 |
          LakeType.Float32 | LakeType.Float64 | LakeType.Decimal(_, _) | LakeType.Date |
          LakeType.Time | LakeType.Timestamp | LakeType.TimestampTz | LakeType.TimestampNs |
          LakeType.Varchar | LakeType.Json | LakeType.Blob | LakeType.Uuid =>
        true
      case _ => false
    }
}
