package ducklake.files.parquet

import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.GeographyLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.GeometryLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.UnknownLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.VariantLogicalTypeAnnotation

/** Logical types that only newer versions of Parquet's library know. */
object LogicalTypes {

  def isVariant(of: LogicalTypeAnnotation): Boolean = of.isInstanceOf[VariantLogicalTypeAnnotation]

  /** Whether the column holds only NULL. */
  def isUnknown(of: LogicalTypeAnnotation): Boolean = of.isInstanceOf[UnknownLogicalTypeAnnotation]

  def isGeometry(of: LogicalTypeAnnotation): Boolean =
    of.isInstanceOf[GeometryLogicalTypeAnnotation]

  def isGeography(of: LogicalTypeAnnotation): Boolean =
    of.isInstanceOf[GeographyLogicalTypeAnnotation]

  def variant: LogicalTypeAnnotation = LogicalTypeAnnotation.variantType(1)

  def unknown: LogicalTypeAnnotation = LogicalTypeAnnotation.unknownType()

  def geometry: LogicalTypeAnnotation = LogicalTypeAnnotation.geometryType("")
}
