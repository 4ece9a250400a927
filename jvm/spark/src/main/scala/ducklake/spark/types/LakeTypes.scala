package ducklake.spark.types

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.catalog.types.TypeText
import ducklake.spark.sparkapi.sql.GeometryColumn
import ducklake.spark.sparkapi.sql.TimeOfDay
import org.apache.spark.sql.types.*

/** Columns of a lake made from Spark's types. The columns have no ids yet.
  *
  * Source: jvm/docs/statements.md, "Tables".
  */
object LakeTypes {

  /** A column of this name and type. It allows NULL and has no comment and no default.
    *
    * Errors: UnstorableType, which names the part of the type that DuckLake does not have.
    */
  def column(name: String, dataType: DataType): Column =
    node(name, dataType, name)

  /** A column of the DuckLake type `typeText`, for which Spark's SQL has no name.
    *
    * Errors: UnstorableType when DuckLake does not have the type, when the type is nested, and when
    * Spark reads it as another type than the declared `dataType`.
    */
  def chosen(
      name: String,
      dataType: DataType,
      typeText: String,
      rule: SparkTypes.TimeRule,
  ): Column = {
    def refuse(why: String) = fail(name, typeText, why)
    TypeText.parse(typeText) match {
      case LakeType.Unknown(_) => refuse("DuckLake has no such type")
      case LakeType.TimestampTzNs | LakeType.NullType =>
        refuse("DuckDB 1.5 cannot open a lake that has it; create the column in DuckDB 2.0")
      case primitive: LakeType.Primitive =>
        val column = bare(name, primitive, Vector.empty)
        val shown = SparkTypes.of(column, rule)
        if (shown == dataType) column
        else refuse(s"it is read as ${shown.sql}, and the column is declared ${dataType.sql}")
      case _: LakeType.Nested => refuse("only types without parts can be chosen")
    }
  }

  private def node(name: String, dataType: DataType, path: String): Column =
    dataType match {
      case ArrayType(element, _) =>
        val child = node("element", element, s"$path.element")
        bare(name, LakeType.ListType, Vector(child))
      case MapType(key, value, _) =>
        val children =
          Vector(node("key", key, s"$path.key"), node("value", value, s"$path.value"))
        bare(name, LakeType.MapType, children)
      case struct: StructType => bare(name, LakeType.StructType, fields(struct, path))
      case other => bare(name, primitive(other, path), Vector.empty)
    }

  private def fields(struct: StructType, path: String): Vector[Column] = {
    if (struct.isEmpty) fail(path, struct.sql, "a struct needs a field")
    val lower = struct.fieldNames.toVector.map(Names.folded)
    lower.diff(lower.distinct).headOption.foreach { twice =>
      fail(path, struct.sql, s"it has the field `$twice` twice")
    }
    struct.fields.toVector.map { field =>
      if (field.name.isEmpty) fail(path, struct.sql, "it has a field without a name")
      node(field.name, field.dataType, s"$path.${field.name}").copy(comment = field.getComment())
    }
  }

  private def primitive(dataType: DataType, path: String): LakeType.Primitive =
    dataType match {
      case BooleanType => LakeType.Bool
      case ByteType => LakeType.Int8
      case ShortType => LakeType.Int16
      case IntegerType => LakeType.Int32
      case LongType => LakeType.Int64
      case FloatType => LakeType.Float32
      case DoubleType => LakeType.Float64
      case decimal: DecimalType => ofDecimal(decimal, path)
      case DateType => LakeType.Date
      case TimestampType => LakeType.TimestampTz
      case TimestampNTZType => LakeType.Timestamp
      case TimeOfDay() => LakeType.Time
      case BinaryType => LakeType.Blob
      case VariantType => LakeType.Variant
      case text: StringType if text.collationId == StringType.collationId => LakeType.Varchar
      case text: StringType => fail(path, text.sql, "DuckLake knows no collation but UTF8_BINARY")
      case _: YearMonthIntervalType | _: DayTimeIntervalType => LakeType.Interval
      case GeometryColumn() => LakeType.Geometry("geometry")
      case NullType => fail(path, "VOID", "a column needs a type")
      case other => fail(path, other.sql, "DuckLake has no such type")
    }

  private def ofDecimal(decimal: DecimalType, path: String): LakeType.Primitive =
    if (decimal.scale < 0) fail(path, decimal.sql, "DuckLake has no negative scale")
    else LakeType.Decimal(decimal.precision, decimal.scale)

  private def bare(name: String, lakeType: LakeType, children: Vector[Column]): Column =
    Column(ColumnId(0), name, lakeType, nullsAllowed = true, None, None, None, children)

  private def fail(path: String, typeText: String, why: String): Nothing =
    throw new LakeException(LakeError.UnstorableType(path, typeText, why))
}
