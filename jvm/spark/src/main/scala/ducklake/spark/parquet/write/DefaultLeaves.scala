package ducklake.spark.parquet.write

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.inlined.Defaults
import ducklake.files.copy.plan.LeafConstant
import ducklake.spark.errors.ValueSubject

/** Initial defaults as [[FileSchemaBuilder]] stores them, for copies of files without the column.
  */
object DefaultLeaves {

  /** The defaults of columns whose type has one form in files that holds every value. */
  def of(columns: Vector[Column]): Map[ColumnId, LeafConstant] =
    columns
      .filter(_.initialDefault.nonEmpty)
      .flatMap(column => leaf(column).map(column.id -> _))
      .toMap

  private def leaf(column: Column): Option[LeafConstant] =
    (column.dataType, Defaults.initial(column)) match {
      case (_: LakeType.Primitive, Right(Literal.Null)) => Some(LeafConstant.Null)
      case (primitive: LakeType.Primitive, Right(value)) if hasOneForm(primitive) =>
        val subject = ValueSubject(column.name, primitive)
        Some(LeafConstant.of(LiteralLeaf.write(_, value, primitive, subject)))
      case _ => None
    }

  private def hasOneForm(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Int128 | LakeType.UInt128 | LakeType.TimeTz | LakeType.TimeNs |
          LakeType.TimestampS | LakeType.Interval | LakeType.Variant | LakeType.Geometry(_) |
          LakeType.NullType | LakeType.Unknown(_) =>
        false
      case _ => true
    }
}
