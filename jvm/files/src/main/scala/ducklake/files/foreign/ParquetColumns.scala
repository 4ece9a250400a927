package ducklake.files.foreign

import ducklake.catalog.registration.FileColumn
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.LogicalTypes
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.*
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.ListHasAsScala

/** The columns of an existing Parquet file with the types that DuckDB gives them.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_add_data_files (format 12).
  *
  * @param geometries names of columns of bytes that hold geometries
  * @param nameOf the name of a field
  * @param int96 the type of the old timestamps, which have no annotation
  */
final class ParquetColumns(
    schema: MessageType,
    geometries: Set[String],
    nameOf: Type => String = _.getName,
    int96: LakeType.Primitive = LakeType.Timestamp,
) {

  private val ordinals: Map[Vector[String], Int] =
    schema.getColumns.asScala.iterator.map(_.getPath.toVector).zipWithIndex.toMap

  def columns: Vector[FileColumn] = fields(schema, Vector.empty)

  private def fields(group: GroupType, above: Vector[String]): Vector[FileColumn] =
    group.getFields.asScala.toVector.map { field =>
      if (field.isRepetition(Type.Repetition.REPEATED)) unknown(field)
      else single(field, above :+ field.getName)
    }

  private def single(field: Type, path: Vector[String]): FileColumn =
    if (field.isPrimitive) {
      val isGeometry = path.sizeIs == 1 && geometries(field.getName)
      val lakeType = if (isGeometry) None else typeOf(field.asPrimitiveType)
      FileColumn.Leaf(nameOf(field), ordinals(path), lakeType, isRequired(field))
    } else {
      val group = field.asGroupType
      Option(group.getLogicalTypeAnnotation) match {
        case Some(_: ListLogicalTypeAnnotation) => list(group, path)
        case Some(_: MapLogicalTypeAnnotation | _: MapKeyValueTypeAnnotation) => map(group, path)
        case None => FileColumn.StructOf(nameOf(field), fields(group, path), isRequired(group))
        case Some(_) => unknown(field)
      }
    }

  private def typeOf(stored: PrimitiveType): Option[LakeType.Primitive] =
    if (stored.getPrimitiveTypeName == PrimitiveTypeName.INT96) Some(int96)
    else ParquetColumns.typeOf(stored)

  /** Lists of three levels. Older spellings are refused, because readers differ on them. */
  private def list(group: GroupType, path: Vector[String]): FileColumn =
    repeated(group, 1).filterNot(inner => isOldElement(inner, group.getName)) match {
      case Some(inner) =>
        val element = inner.getType(0)
        val below = path :+ inner.getName :+ element.getName
        FileColumn
          .ListOf(nameOf(group), single(element, below), isRequired(group), inner.getName)
      case None => unknown(group)
    }

  private def map(group: GroupType, path: Vector[String]): FileColumn =
    repeated(group, 2).filter(hasNamesOfEntries) match {
      case Some(inner) =>
        def child(index: Int): FileColumn =
          single(inner.getType(index), path :+ inner.getName :+ inner.getType(index).getName)
        FileColumn.MapOf(nameOf(group), child(0), child(1), isRequired(group))
      case None => unknown(group)
    }

  /** The repeated group of a list or map, when it is the only child and has this many fields, none
    * of them repeated.
    */
  private def repeated(group: GroupType, fieldCount: Int): Option[GroupType] =
    Option
      .when(group.getFieldCount == 1 && !group.getType(0).isPrimitive)(group.getType(0))
      .filter(_.isRepetition(Type.Repetition.REPEATED))
      .map(_.asGroupType)
      .filter(_.getFieldCount == fieldCount)
      .filterNot(_.getFields.asScala.exists(_.isRepetition(Type.Repetition.REPEATED)))

  private def isOldElement(inner: GroupType, listName: String): Boolean =
    inner.getName == "array" || inner.getName == s"${listName}_tuple"

  /** DuckDB finds keys and values by their names. */
  private def hasNamesOfEntries(inner: GroupType): Boolean =
    inner.getType(0).getName.equalsIgnoreCase("key") &&
      inner.getType(1).getName.equalsIgnoreCase("value")

  private def isRequired(field: Type): Boolean = field.isRepetition(Type.Repetition.REQUIRED)

  private def unknown(field: Type): FileColumn =
    FileColumn.Leaf(nameOf(field), ParquetColumns.NoOrdinal, None)
}

object ParquetColumns {

  /** The ordinal of a node that no column can show. */
  private val NoOrdinal = -1

  /** None for a type that we cannot read as DuckDB does. A leaf annotated as all NULL has the NULL
    * type; DuckDB gives it its physical type. Instants in nanoseconds have the type that DuckDB 2.0
    * gives them; DuckDB 1.5.5 cuts them to microseconds.
    */
  def typeOf(stored: PrimitiveType): Option[LakeType.Primitive] = {
    val annotation = Option(stored.getLogicalTypeAnnotation)
    (stored.getPrimitiveTypeName, annotation) match {
      case (_, Some(meaning)) if LogicalTypes.isUnknown(meaning) => Some(LakeType.NullType)
      case (PrimitiveTypeName.BOOLEAN, None) => Some(LakeType.Bool)
      case (PrimitiveTypeName.FLOAT, None) => Some(LakeType.Float32)
      case (PrimitiveTypeName.DOUBLE, None) => Some(LakeType.Float64)
      case (PrimitiveTypeName.INT96, None) => Some(LakeType.Timestamp)
      case (_, Some(decimal: DecimalLogicalTypeAnnotation)) =>
        Some(LakeType.Decimal(decimal.getPrecision, decimal.getScale))
      case (PrimitiveTypeName.INT32, None) => Some(LakeType.Int32)
      case (PrimitiveTypeName.INT64, None) => Some(LakeType.Int64)
      case (PrimitiveTypeName.INT32 | PrimitiveTypeName.INT64, Some(found)) => ofWhole(found)
      case (PrimitiveTypeName.BINARY, found) => ofBinary(found)
      case (PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, found) => ofFixed(found, stored.getTypeLength)
      case _ => None
    }
  }

  private def ofWhole(annotation: LogicalTypeAnnotation): Option[LakeType.Primitive] =
    annotation match {
      case int: IntLogicalTypeAnnotation => integer(int.getBitWidth, int.isSigned)
      case _: DateLogicalTypeAnnotation => Some(LakeType.Date)
      case time: TimeLogicalTypeAnnotation if time.getUnit == TimeUnit.NANOS => None
      case time: TimeLogicalTypeAnnotation =>
        Some(if (time.isAdjustedToUTC) LakeType.TimeTz else LakeType.Time)
      case timestamp: TimestampLogicalTypeAnnotation => Some(timestampOf(timestamp))
      case _ => None
    }

  private def integer(bits: Int, isSigned: Boolean): Option[LakeType.Primitive] =
    bits match {
      case 8 => Some(if (isSigned) LakeType.Int8 else LakeType.UInt8)
      case 16 => Some(if (isSigned) LakeType.Int16 else LakeType.UInt16)
      case 32 => Some(if (isSigned) LakeType.Int32 else LakeType.UInt32)
      case 64 => Some(if (isSigned) LakeType.Int64 else LakeType.UInt64)
      case _ => None
    }

  private def timestampOf(annotation: TimestampLogicalTypeAnnotation): LakeType.Primitive =
    (annotation.isAdjustedToUTC, annotation.getUnit) match {
      case (true, TimeUnit.NANOS) => LakeType.TimestampTzNs
      case (true, _) => LakeType.TimestampTz
      case (false, TimeUnit.MILLIS) => LakeType.TimestampMs
      case (false, TimeUnit.MICROS) => LakeType.Timestamp
      case (false, TimeUnit.NANOS) => LakeType.TimestampNs
    }

  private def ofBinary(annotation: Option[LogicalTypeAnnotation]): Option[LakeType.Primitive] =
    annotation match {
      case None => Some(LakeType.Blob)
      case Some(_: StringLogicalTypeAnnotation | _: EnumLogicalTypeAnnotation) =>
        Some(LakeType.Varchar)
      case Some(_: JsonLogicalTypeAnnotation) => Some(LakeType.Json)
      case _ => None
    }

  private def ofFixed(
      annotation: Option[LogicalTypeAnnotation],
      length: Int,
  ): Option[LakeType.Primitive] =
    annotation match {
      case None => Some(LakeType.Blob)
      case Some(_: UUIDLogicalTypeAnnotation) if length == 16 => Some(LakeType.Uuid)
      case Some(_: IntervalLogicalTypeAnnotation) if length == 12 => Some(LakeType.Interval)
      case _ => None
    }
}
