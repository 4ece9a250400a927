package ducklake.spark.parquet.read

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.parquet.vector.FileType
import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.filter2.predicate.Operators.*
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import scala.jdk.CollectionConverters.*

/** A column of a file that Parquet's filters can compare with literals.
  *
  * @param encode the stored form of a literal of the DuckLake type; None when it has no stored
  *   form, or when the order of stored forms is not Spark's order of the values
  * @param operators the comparisons that never exclude a matching row of the column
  */
final class ParquetColumn[T <: Comparable[T], C <: Column[T] & SupportsLtGt] private (
    column: C,
    encode: (Literal, Comparison) => Option[T],
    operators: Set[Comparison],
) {

  def compare(operator: Comparison, value: Literal): Option[FilterPredicate] =
    if (!operators.contains(operator)) None
    else
      encode(value, operator).map { stored =>
        operator match {
          case Comparison.Equal => FilterApi.eq(column, stored)
          case Comparison.NotEqual => FilterApi.notEq(column, stored)
          case Comparison.Less => FilterApi.lt(column, stored)
          case Comparison.LessOrEqual => FilterApi.ltEq(column, stored)
          case Comparison.Greater => FilterApi.gt(column, stored)
          case Comparison.GreaterOrEqual => FilterApi.gtEq(column, stored)
        }
      }

  /** For a long list, Parquet compares only the smallest and the largest value with the bounds of a
    * row group. So the values of a short list are compared one by one.
    */
  def in(values: Vector[Literal]): Option[FilterPredicate] = {
    val stored = values.map(encode(_, Comparison.Equal))
    Option.when(values.nonEmpty && stored.forall(_.nonEmpty)) {
      val found = stored.flatten.distinct
      if (found.sizeIs <= ParquetColumn.fewValues)
        found.map(value => FilterApi.eq(column, value): FilterPredicate).reduce(FilterApi.or)
      else FilterApi.in(column, found.toSet.asJava)
    }
  }
}

object ParquetColumn {

  private val fewValues = 16

  private val all: Set[Comparison] = Set(
    Comparison.Equal,
    Comparison.NotEqual,
    Comparison.Less,
    Comparison.LessOrEqual,
    Comparison.Greater,
    Comparison.GreaterOrEqual,
  )

  /** Comparisons of floats. Other comparisons are left out, because NaN is greater than every
    * number for Spark, and Parquet's bounds ignore NaN.
    */
  private val soundOnFloats: Set[Comparison] =
    Set(Comparison.Equal, Comparison.Less, Comparison.LessOrEqual)

  /** The column for comparisons; None when the file's values or their order are not the lake's. */
  def of(leaf: ColumnPlan.Leaf): Option[ParquetColumn[?, ?]] =
    for {
      path <- path(leaf)
      file <- FileType.of(leaf.file.stored)
      column <- typed(path, leaf.file.stored.getPrimitiveTypeName, file, leaf)
    } yield column

  /** The tests for NULL, which need no order and therefore work on more types. */
  def anyType(leaf: ColumnPlan.Leaf): Option[NullTest] =
    path(leaf).flatMap { path =>
      leaf.file.stored.getPrimitiveTypeName match {
        case PrimitiveTypeName.BOOLEAN =>
          Some(nullTest[java.lang.Boolean, BooleanColumn](FilterApi.booleanColumn(path)))
        case PrimitiveTypeName.INT32 =>
          Some(nullTest[Integer, IntColumn](FilterApi.intColumn(path)))
        case PrimitiveTypeName.INT64 =>
          Some(nullTest[java.lang.Long, LongColumn](FilterApi.longColumn(path)))
        case PrimitiveTypeName.FLOAT =>
          Some(nullTest[java.lang.Float, FloatColumn](FilterApi.floatColumn(path)))
        case PrimitiveTypeName.DOUBLE =>
          Some(nullTest[java.lang.Double, DoubleColumn](FilterApi.doubleColumn(path)))
        case PrimitiveTypeName.BINARY | PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY =>
          Some(nullTest[Binary, BinaryColumn](FilterApi.binaryColumn(path)))
        case PrimitiveTypeName.INT96 => None
      }
    }

  final case class NullTest(isNull: FilterPredicate, isNotNull: FilterPredicate)

  private def nullTest[T <: Comparable[T], C <: Column[T] & SupportsEqNotEq](
      column: C
  ): NullTest = {
    val none = null.asInstanceOf[T]
    NullTest(FilterApi.eq(column, none), FilterApi.notEq(column, none))
  }

  /** A text column, which is ordered by bytes; None for other columns. */
  def text(leaf: ColumnPlan.Leaf): Option[TextColumn] =
    if (isText(leaf)) path(leaf).map(TextColumn(_)) else None

  final case class TextColumn(path: String) {

    /** The range from the prefix (inclusive) to the first text after all texts with this prefix
      * (exclusive).
      */
    def startsWith(prefix: Array[Byte]): FilterPredicate = {
      val column = FilterApi.binaryColumn(path)
      val from = FilterApi.gtEq(column, Binary.fromConstantByteArray(prefix))
      val head = prefix.reverse.dropWhile(_ == -1).reverse
      if (head.isEmpty) from
      else {
        val behind = head.init :+ (head.last + 1).toByte
        FilterApi.and(from, FilterApi.lt(column, Binary.fromConstantByteArray(behind)))
      }
    }
  }

  private def isText(leaf: ColumnPlan.Leaf): Boolean =
    FileType.of(leaf.file.stored).contains(FileType.Text) && leaf.lakeType == LakeType.Varchar

  /** The column's name in Parquet's filters: the names of the path joined with dots. None when a
    * name itself has a dot.
    */
  private def path(leaf: ColumnPlan.Leaf): Option[String] =
    Option.when(!leaf.file.path.exists(_.contains('.')))(leaf.file.path.mkString("."))

  private def typed(
      path: String,
      physical: PrimitiveTypeName,
      file: FileType,
      leaf: ColumnPlan.Leaf,
  ): Option[ParquetColumn[?, ?]] =
    (file, leaf.lakeType, physical) match {
      case (whole: FileType.Whole, _, PrimitiveTypeName.INT32)
          if whole.isSigned || whole.bits < 32 =>
        Some(ints(path, { case Literal.Integral(value) if isWithin(value, whole) => value.toInt }))
      case (FileType.Whole(_, true), _, PrimitiveTypeName.INT64) =>
        Some(longs(path, { case Literal.Integral(value) => value }))
      case (FileType.Date, LakeType.Date, _) =>
        Some(ints(path, { case Literal.Date(days) => days }))
      case (FileType.Timestamp(TimeUnit.MICROS, _), LakeType.Timestamp | LakeType.TimestampTz, _) =>
        Some(longs(path, { case Literal.Timestamp(ticks) => ticks }))
      case (FileType.Timestamp(TimeUnit.MILLIS, _), LakeType.TimestampMs, _) =>
        Some(longs(path, { case Literal.Timestamp(ticks) => ticks }))
      case (FileType.Double, LakeType.Float64, _) => Some(doubles(path))
      case (FileType.Single, LakeType.Float32 | LakeType.Float64, _) => Some(floats(path))
      case (FileType.Text, LakeType.Varchar, _) => Some(texts(path))
      case (FileType.Decimal(p, s), LakeType.Decimal(precision, scale), _)
          if p == precision && s == scale =>
        decimals(path, physical, leaf.file.stored.getTypeLength)
      case _ => None
    }

  /** Whether INT32 can hold the number with the same meaning. Parquet compares unsigned columns by
    * their bits, where negative numbers are the greatest.
    */
  private def isWithin(value: Long, file: FileType.Whole): Boolean =
    if (file.isSigned) value.isValidInt else value >= 0 && value < (1L << file.bits)

  private def fits(value: java.math.BigDecimal, bytes: Int): Boolean =
    value.unscaledValue.bitLength < bytes * 8

  private def ints(path: String, encode: PartialFunction[Literal, Int]): ParquetColumn[?, ?] =
    new ParquetColumn[Integer, IntColumn](
      FilterApi.intColumn(path),
      (value, _) => encode.lift(value).map(Int.box),
      all,
    )

  private def longs(path: String, encode: PartialFunction[Literal, Long]): ParquetColumn[?, ?] =
    new ParquetColumn[java.lang.Long, LongColumn](
      FilterApi.longColumn(path),
      (value, _) => encode.lift(value).map(Long.box),
      all,
    )

  private def doubles(path: String): ParquetColumn[?, ?] =
    new ParquetColumn[java.lang.Double, DoubleColumn](
      FilterApi.doubleColumn(path),
      (value, operator) => number(value, operator).map(Double.box),
      soundOnFloats,
    )

  private def floats(path: String): ParquetColumn[?, ?] =
    new ParquetColumn[java.lang.Float, FloatColumn](
      FilterApi.floatColumn(path),
      (value, operator) =>
        number(value, operator).filter(v => v.toFloat.toDouble == v).map(v => Float.box(v.toFloat)),
      soundOnFloats,
    )

  /** The number, or None for NaN and for a test for equality with zero: Parquet has two zeros and
    * Spark has one.
    */
  private def number(literal: Literal, operator: Comparison): Option[Double] =
    literal match {
      case Literal.Floating(value) if value.isNaN => None
      case Literal.Floating(value) if value == 0.0 =>
        Option.when(operator != Comparison.Equal)(0.0)
      case Literal.Floating(value) => Some(value)
      case _ => None
    }

  private def texts(path: String): ParquetColumn[?, ?] =
    new ParquetColumn[Binary, BinaryColumn](
      FilterApi.binaryColumn(path),
      (literal, _) =>
        PartialFunction.condOpt(literal) { case Literal.Text(value) => Binary.fromString(value) },
      all,
    )

  private def decimals(
      path: String,
      physical: PrimitiveTypeName,
      length: Int,
  ): Option[ParquetColumn[?, ?]] =
    physical match {
      case PrimitiveTypeName.INT32 =>
        Some(
          ints(path, { case Literal.Dec(value) if fits(value, 4) => value.unscaledValue.intValue })
        )
      case PrimitiveTypeName.INT64 =>
        Some(
          longs(
            path,
            { case Literal.Dec(value) if fits(value, 8) => value.unscaledValue.longValue },
          )
        )
      case PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY =>
        Some(
          new ParquetColumn[Binary, BinaryColumn](
            FilterApi.binaryColumn(path),
            (literal, _) =>
              PartialFunction.condOpt(literal) {
                case Literal.Dec(value) if fits(value, length) =>
                  fixed(value.unscaledValue.toByteArray, length)
              },
            all,
          )
        )
      case _ => None
    }

  private def fixed(digits: Array[Byte], length: Int): Binary = {
    val sign: Byte = if (digits.head < 0) -1 else 0
    val padded = Array.fill[Byte](math.max(length - digits.length, 0))(sign) ++ digits
    Binary.fromConstantByteArray(padded)
  }
}
