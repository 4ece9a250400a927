package ducklake.spark.parquet.write

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.LeafColumn
import ducklake.files.parquet.LogicalTypes
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Types
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.types.DecimalType

import scala.jdk.CollectionConverters.SeqHasAsJava

/** The Parquet schema of new files: every node that the lake knows has a field id, and the logical
  * types are DuckDB's. Whole numbers of 128 bits are written as decimals, which DuckDB reads;
  * DuckDB itself writes DOUBLE, which loses digits. Intervals are written as texts, because
  * Parquet's library marks values of its own interval type as NULL.
  *
  * Source: format 2.1 and 2.3.
  */
object FileSchemaBuilder {

  def message(columns: Vector[Column]): MessageType =
    new MessageType("duckdb_schema", columns.map(node(_, Repetition.OPTIONAL)).asJava)

  /** The primitive columns below a column, depth first, with their paths in the file. */
  def leaves(column: Column): Vector[LeafColumn] =
    leaves(column, Place(Vector.empty, Vector.empty))

  /** The names of nodes in the file, and the columns, above a column. */
  private final case class Place(path: Vector[String], columns: Vector[ColumnId])

  private def leaves(column: Column, above: Place): Vector[LeafColumn] = {
    val here = above.path :+ column.name
    val columns = above.columns :+ column.id
    column.dataType match {
      case LakeType.ListType =>
        leaves(named(column.children.head, "element"), Place(here :+ "list", columns))
      case LakeType.MapType =>
        val entry = Place(here :+ "key_value", columns)
        leaves(named(column.children.head, "key"), entry) ++
          leaves(named(column.children(1), "value"), entry)
      case LakeType.StructType => column.children.flatMap(leaves(_, Place(here, columns)))
      case LakeType.Variant =>
        variantParts.map(part => LeafColumn(here :+ part, columns, LakeType.Variant))
      case primitive: LakeType.Primitive => Vector(LeafColumn(here, columns, primitive))
    }
  }

  /** In the order in which Spark's writer writes them. */
  private val variantParts = Vector("value", "metadata")

  private def named(child: Column, name: String): Column = child.copy(name = name)

  private def node(column: Column, repetition: Repetition): Type = {
    val id = column.id.value.toInt
    column.dataType match {
      case LakeType.ListType =>
        val element = node(named(column.children.head, "element"), Repetition.OPTIONAL)
        val repeated = new GroupType(Repetition.REPEATED, "list", element)
        group(repetition, column.name, LogicalTypeAnnotation.listType(), Vector(repeated))
          .withId(id)
      case LakeType.MapType =>
        val key = node(named(column.children.head, "key"), Repetition.REQUIRED)
        val value = node(named(column.children(1), "value"), Repetition.OPTIONAL)
        val repeated = new GroupType(Repetition.REPEATED, "key_value", key, value)
        group(repetition, column.name, LogicalTypeAnnotation.mapType(), Vector(repeated)).withId(id)
      case LakeType.StructType =>
        val fields = column.children.map(node(_, Repetition.OPTIONAL))
        new GroupType(repetition, column.name, fields.asJava).withId(id)
      case LakeType.Variant =>
        val parts = variantParts.map { part =>
          new PrimitiveType(Repetition.REQUIRED, PrimitiveTypeName.BINARY, part): Type
        }
        group(repetition, column.name, LogicalTypes.variant, parts).withId(id)
      case primitive: LakeType.Primitive => leaf(primitive, repetition, column.name, id)
    }
  }

  private def group(
      repetition: Repetition,
      name: String,
      annotation: LogicalTypeAnnotation,
      fields: Vector[Type],
  ): GroupType =
    Types
      .buildGroup(repetition)
      .as(annotation)
      .addFields(fields*)
      .named(name)

  private final case class Physical(
      name: PrimitiveTypeName,
      length: Int,
      annotation: Option[LogicalTypeAnnotation],
  )

  private def leaf(
      lakeType: LakeType.Primitive,
      repetition: Repetition,
      name: String,
      id: Int,
  ): Type = {
    val physical = physicalOf(lakeType)
    val plain = Types.primitive(physical.name, repetition).id(id)
    val sized = if (physical.length > 0) plain.length(physical.length) else plain
    physical.annotation.fold(sized)(annotation => sized.as(annotation)).named(name)
  }

  private def whole(bits: Int, isSigned: Boolean): Physical =
    Physical(
      if (bits == 64) PrimitiveTypeName.INT64 else PrimitiveTypeName.INT32,
      0,
      Some(LogicalTypeAnnotation.intType(bits, isSigned)),
    )

  private def bare(name: PrimitiveTypeName): Physical = Physical(name, 0, None)

  private def long(annotation: LogicalTypeAnnotation): Physical =
    Physical(PrimitiveTypeName.INT64, 0, Some(annotation))

  private def binary(annotation: LogicalTypeAnnotation): Physical =
    Physical(PrimitiveTypeName.BINARY, 0, Some(annotation))

  private def fixed(length: Int, annotation: LogicalTypeAnnotation): Physical =
    Physical(PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, length, Some(annotation))

  private def timestamp(isUtc: Boolean, unit: TimeUnit): Physical =
    long(LogicalTypeAnnotation.timestampType(isUtc, unit))

  private def time(isUtc: Boolean): Physical =
    long(LogicalTypeAnnotation.timeType(isUtc, TimeUnit.MICROS))

  /** A decimal in the physical type that Spark's writer uses for its precision. */
  private def decimal(precision: Int, scale: Int): Physical = {
    val annotation = LogicalTypeAnnotation.decimalType(scale, precision)
    if (precision <= Decimal.MAX_INT_DIGITS)
      Physical(PrimitiveTypeName.INT32, 0, Some(annotation))
    else if (precision <= Decimal.MAX_LONG_DIGITS) long(annotation)
    else fixed(Decimal.minBytesForPrecision(precision), annotation)
  }

  private def physicalOf(lakeType: LakeType.Primitive): Physical =
    lakeType match {
      case LakeType.Bool => bare(PrimitiveTypeName.BOOLEAN)
      case LakeType.Int8 => whole(8, isSigned = true)
      case LakeType.Int16 => whole(16, isSigned = true)
      case LakeType.Int32 => whole(32, isSigned = true)
      case LakeType.Int64 => whole(64, isSigned = true)
      case LakeType.UInt8 => whole(8, isSigned = false)
      case LakeType.UInt16 => whole(16, isSigned = false)
      case LakeType.UInt32 => whole(32, isSigned = false)
      case LakeType.UInt64 => whole(64, isSigned = false)
      case LakeType.Int128 | LakeType.UInt128 => decimal(DecimalType.MAX_PRECISION, 0)
      case LakeType.Float32 => bare(PrimitiveTypeName.FLOAT)
      case LakeType.Float64 => bare(PrimitiveTypeName.DOUBLE)
      case LakeType.Decimal(precision, scale) => decimal(precision, scale)
      case LakeType.Date =>
        Physical(PrimitiveTypeName.INT32, 0, Some(LogicalTypeAnnotation.dateType()))
      case LakeType.Time => time(isUtc = false)
      case LakeType.TimeTz => time(isUtc = true)
      case LakeType.Timestamp | LakeType.TimestampS => timestamp(isUtc = false, TimeUnit.MICROS)
      case LakeType.TimestampMs => timestamp(isUtc = false, TimeUnit.MILLIS)
      case LakeType.TimestampNs => timestamp(isUtc = false, TimeUnit.NANOS)
      case LakeType.TimestampTz => timestamp(isUtc = true, TimeUnit.MICROS)
      case LakeType.TimestampTzNs => timestamp(isUtc = true, TimeUnit.NANOS)
      case LakeType.NullType =>
        Physical(PrimitiveTypeName.INT32, 0, Some(LogicalTypes.unknown))
      case LakeType.Varchar | LakeType.Interval => binary(LogicalTypeAnnotation.stringType())
      case LakeType.Json => binary(LogicalTypeAnnotation.jsonType())
      case LakeType.Uuid => fixed(16, LogicalTypeAnnotation.uuidType())
      case LakeType.Geometry(_) => binary(LogicalTypes.geometry)
      case LakeType.Blob | LakeType.Variant | LakeType.TimeNs | LakeType.Unknown(_) =>
        bare(PrimitiveTypeName.BINARY)
    }
}
