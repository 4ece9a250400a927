package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.catalyst.expressions.variant.ArrayExtraction
import org.apache.spark.sql.catalyst.expressions.variant.ObjectExtraction
import org.apache.spark.sql.catalyst.expressions.variant.VariantCastArgs
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.expressions.variant.VariantPathParser
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.DoubleType
import org.apache.spark.sql.types.FloatType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.types.VariantType
import org.apache.spark.unsafe.types.VariantVal

/** A value that a query takes from a variant: the meaning of Spark's `variant_get`, and of a cast of
  * a variant.
  *
  * @param path in the spelling of `variant_get`; `$` for the whole variant
  * @param target the type of the value: see [[VariantExtraction.isTarget]]
  * @param failsOnError whether a value of another type is an error; otherwise it is NULL
  * @param zone the id of the time zone for casts
  */
final case class VariantExtraction(
    path: String,
    target: DataType,
    failsOnError: Boolean,
    zone: String,
) {

  /** The steps from the variant to the value. */
  lazy val steps: Vector[VariantStep] = VariantStep.parse(path).getOrElse {
    throw new IllegalStateException(s"not a path of a variant: $path")
  }

  /** Takes the value from a variant; null when the path is missing or the variant's own null. */
  def extractor: VariantVal => Any = {
    val segments = VariantGet.getParsedPath(path, "variant_get")
    val cast = VariantCastArgs(failsOnError, Some(zone), DateTimeUtils.getZoneId(zone))
    variant => VariantGet.variantGet(variant, segments, target, cast)
  }

  private def field(ordinal: Int): StructField = {
    val marks = new MetadataBuilder()
      .putString(VariantExtraction.Path, path)
      .putBoolean(VariantExtraction.FailsOnError, failsOnError)
      .putString(VariantExtraction.Zone, zone)
      .build()
    StructField(ordinal.toString, target, nullable = true, marks)
  }
}

object VariantExtraction {

  private val Path = "ducklake.variant.path"
  private val FailsOnError = "ducklake.variant.failsOnError"
  private val Zone = "ducklake.variant.zone"

  /** Whether values of this type are extracted. Lists, maps and structs are not: Spark makes them of
    * an extracted variant.
    */
  def isTarget(dataType: DataType): Boolean =
    dataType match {
      case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
          BinaryType | DateType | TimestampType | TimestampNTZType | VariantType =>
        true
      case _: DecimalType | StringType => true
      case _ => false
    }

  /** The type of a column that shows these values of a variant, one field for each. */
  def struct(extractions: Vector[VariantExtraction]): StructType =
    StructType(extractions.zipWithIndex.map { case (one, ordinal) => one.field(ordinal) }.toArray)

  /** The values that a column of this type shows; None for other types. */
  def ofType(dataType: DataType): Option[Vector[VariantExtraction]] =
    dataType match {
      case StructType(fields) if fields.nonEmpty && fields.forall(_.metadata.contains(Path)) =>
        Some(fields.toVector.map { field =>
          val marks = field.metadata
          VariantExtraction(
            marks.getString(Path),
            field.dataType,
            marks.getBoolean(FailsOnError),
            marks.getString(Zone),
          )
        })
      case _ => None
    }
}

/** One step of a path into a variant. */
sealed trait VariantStep

object VariantStep {
  final case class Field(name: String) extends VariantStep
  final case class Element(index: Int) extends VariantStep

  /** The steps of a path; None when it is not a path. */
  def parse(path: String): Option[Vector[VariantStep]] =
    VariantPathParser
      .parse(path)
      .map(_.toVector.map {
        case ObjectExtraction(name) => Field(name)
        case ArrayExtraction(index) => Element(index)
      })
}
