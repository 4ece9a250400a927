package ducklake.spark.parquet.vector

import ducklake.spark.sparkapi.sql.VariantExtraction
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.unsafe.types.VariantVal

/** A vector that keeps something about the rows of the current batch. */
trait VectorOfBatch {

  /** Begins with the next batch of the vector below. */
  def start(): Unit
}

/** Values that a query takes from the variants of another vector: a struct with a field for each. A
  * value is made when Spark asks for it, so that a cast fails only for rows that Spark looks at.
  */
final class ExtractedVector(
    shown: StructType,
    variants: ColumnVector,
    fields: Array[ExtractedValues],
) extends NullSharingVector(shown, variants)
    with VectorOfBatch {

  override def start(): Unit = fields.foreach(_.start())
  override def getChild(ordinal: Int): ColumnVector = fields(ordinal)
}

/** A vector of values that are taken from variants. */
sealed abstract class ExtractedValues(target: DataType)
    extends DerivedVector(target)
    with VectorOfBatch {
  final override def hasNull: Boolean = true
}

/** One value of each variant. It keeps the value of the last row that was asked for, because Spark
  * asks twice: whether there is a value, and which.
  */
final class ExtractedField(variants: ColumnVector, extraction: VariantExtraction)
    extends ExtractedValues(extraction.target) {

  private val extract = extraction.extractor
  private var kept = ExtractedField.NoRow
  private var value: Any = ExtractedField.NoValue

  override def start(): Unit = kept = ExtractedField.NoRow

  private def at(row: Int): Any = {
    if (row != kept) {
      value =
        if (variants.isNullAt(row)) ExtractedField.NoValue else extract(variants.getVariant(row))
      kept = row
    }
    value
  }

  override def numNulls: Int = variants.numNulls
  override def isNullAt(row: Int): Boolean = at(row) == ExtractedField.NoValue

  override def getBoolean(row: Int): Boolean = at(row).asInstanceOf[Boolean]
  override def getByte(row: Int): Byte = at(row).asInstanceOf[Byte]
  override def getShort(row: Int): Short = at(row).asInstanceOf[Short]
  override def getInt(row: Int): Int = at(row).asInstanceOf[Int]
  override def getLong(row: Int): Long = at(row).asInstanceOf[Long]
  override def getFloat(row: Int): Float = at(row).asInstanceOf[Float]
  override def getDouble(row: Int): Double = at(row).asInstanceOf[Double]
  override def getUTF8String(row: Int): UTF8String = at(row).asInstanceOf[UTF8String]
  override def getBinary(row: Int): Array[Byte] = at(row).asInstanceOf[Array[Byte]]

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    at(row).asInstanceOf[Decimal]

  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) bytes else metadata

  private lazy val bytes = new Part(_.getValue)
  private lazy val metadata = new Part(_.getMetadata)

  /** The value or the metadata of an extracted variant. */
  private final class Part(of: VariantVal => Array[Byte])
      extends NullSharingVector(BinaryType, ExtractedField.this) {
    override def getBinary(row: Int): Array[Byte] =
      at(row) match {
        case variant: VariantVal => of(variant)
        case _ => null
      }
  }
}

private object ExtractedField {
  val NoRow: Int = -1
  val NoValue: Any = Option.empty[AnyRef].orNull
}

/** Values for which the file has a column of their own.
  *
  * @param column their column; NULL where the file holds the value elsewhere or not at all
  * @param elsewhere the other columns that may hold a value: all of them are NULL where there is none
  * @param others gives the values that are not in the column, and those that do not fit
  */
final class ColumnOfVariant(
    column: ColumnVector,
    direct: DirectValue,
    elsewhere: Array[ColumnVector],
    others: ExtractedField,
) extends ExtractedValues(others.dataType) {

  private val conversion = direct.conversion

  private def isInColumn(row: Int): Boolean = !column.isNullAt(row) && direct.fits(column, row)

  // A plain loop: it runs for every NULL of a file.
  private def isNowhere(row: Int): Boolean = {
    var at = 0
    while (at < elsewhere.length && elsewhere(at).isNullAt(row)) at += 1
    at == elsewhere.length && column.isNullAt(row)
  }

  override def start(): Unit = others.start()
  override def numNulls: Int = column.numNulls

  override def isNullAt(row: Int): Boolean =
    !isInColumn(row) && (isNowhere(row) || others.isNullAt(row))

  override def getBoolean(row: Int): Boolean =
    if (isInColumn(row)) conversion.truth(column, row) else others.getBoolean(row)

  override def getByte(row: Int): Byte =
    if (isInColumn(row)) conversion.long(column, row).toByte else others.getByte(row)

  override def getShort(row: Int): Short =
    if (isInColumn(row)) conversion.long(column, row).toShort else others.getShort(row)

  override def getInt(row: Int): Int =
    if (isInColumn(row)) conversion.long(column, row).toInt else others.getInt(row)

  override def getLong(row: Int): Long =
    if (isInColumn(row)) conversion.long(column, row) else others.getLong(row)

  override def getFloat(row: Int): Float =
    if (isInColumn(row)) conversion.float(column, row) else others.getFloat(row)

  override def getDouble(row: Int): Double =
    if (isInColumn(row)) conversion.double(column, row) else others.getDouble(row)

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isInColumn(row)) conversion.decimal(column, row)
    else others.getDecimal(row, precision, scale)

  override def getUTF8String(row: Int): UTF8String =
    if (isInColumn(row)) conversion.text(column, row) else others.getUTF8String(row)

  override def getBinary(row: Int): Array[Byte] =
    if (isInColumn(row)) conversion.bytes(column, row) else others.getBinary(row)
}

object ExtractedVector {

  /** The vector of a type that shows values of variants, over a vector of these variants; the vector
    * itself for other types.
    */
  def over(shown: DataType, vector: ColumnVector): ColumnVector =
    (shown, VariantExtraction.ofType(shown)) match {
      case (struct: StructType, Some(extractions)) =>
        val fields = extractions.map(new ExtractedField(vector, _))
        new ExtractedVector(struct, vector, fields.toArray)
      case _ => vector
    }
}
