package ducklake.spark.parquet.read

import ducklake.spark.parquet.vector.ColumnOfVariant
import ducklake.spark.parquet.vector.DerivedVector
import ducklake.spark.parquet.vector.DirectValue
import ducklake.spark.parquet.vector.ExtractedField
import ducklake.spark.parquet.vector.ExtractedValues
import ducklake.spark.parquet.vector.ExtractedVector
import ducklake.spark.parquet.vector.NullSharingVector
import ducklake.spark.sparkapi.sql.VariantExtraction
import ducklake.spark.sparkapi.sql.VariantStep
import ducklake.spark.types.SparkVariants
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.types.variant.VariantBuilder.FieldEntry
import org.apache.spark.unsafe.types.VariantVal

import java.util.ArrayList

/** A variant vector, which is put together from the file's columns. DuckDB stores a NULL as the
  * variant's own null, and reads the variant's own null as NULL.
  *
  * Source: DuckDB 1.5.5, observed, interop/test_fixtures.
  *
  * @param below a struct of the metadata and the columns that the shape requests
  */
final class VariantColumn(below: WritableColumnVector, shape: VariantShape)
    extends DerivedVector(VariantType) {

  private val metadata = below.getChild(0)
  private val part = new VariantPart(below, first = 1, shape)

  override def hasNull: Boolean = true
  override def numNulls: Int = below.numNulls
  override def isNullAt(row: Int): Boolean = below.isNullAt(row) || part.isNullVariant(row)

  override def getChild(ordinal: Int): ColumnVector =
    if (ordinal == 0) valueVector else metadataVector

  /** The values that this type shows, each from its own column where the file has one. */
  def extracted(shown: StructType): ColumnVector = {
    val fields = VariantExtraction.ofType(shown).toVector.flatten.map { extraction =>
      val others = new ExtractedField(this, extraction)
      part
        .column(extraction.steps, extraction.target)
        .fold[ExtractedValues](others)(_.values(others))
    }
    new ExtractedVector(shown, this, fields.toArray)
  }

  // Spark asks for the value and then for the metadata of a row, which are made together.
  private var metadataOf = -1
  private var lastMetadata = Array.emptyByteArray

  private val valueVector = new BytesVector(row => {
    val made = result(row)
    metadataOf = row
    lastMetadata = made.getMetadata
    made.getValue
  })

  private val metadataVector = new BytesVector(row => {
    val isLast = metadataOf == row
    metadataOf = -1
    if (isLast) lastMetadata else result(row).getMetadata
  })

  private def result(row: Int): VariantVal =
    part.whole(row) match {
      case Some(value) => SparkVariants.readable(value, metadata.getBinary(row))
      case None =>
        val builder = new VariantBuilder(false)
        part.append(row, metadata.getBinary(row), builder)
        SparkVariants.built(builder)
    }

  private final class BytesVector(of: Int => Array[Byte])
      extends NullSharingVector(BinaryType, VariantColumn.this) {
    override def getBinary(row: Int): Array[Byte] =
      if (this.isNullAt(row)) null else of(row)
  }
}

/** A variant, or a part of a variant, in the vectors of its shape.
  *
  * @param first index of the shape's first column among the children of `below`
  */
private final class VariantPart(below: WritableColumnVector, first: Int, shape: VariantShape) {

  private val value: Option[WritableColumnVector] = Option.when(shape.value)(below.getChild(first))
  private val typedVector: Option[WritableColumnVector] =
    shape.typed.map(_ => below.getChild(first + value.size))

  private val typed: Option[VariantPart.Typed] =
    shape.typed.zip(typedVector).map { case (kind, vector) => VariantPart.typed(kind, vector) }

  private def isTyped(row: Int): Boolean = typedVector.exists(!_.isNullAt(row))

  private def binary(row: Int): Option[Array[Byte]] =
    value.collect { case bytes if !bytes.isNullAt(row) => bytes.getBinary(row) }

  def isMissing(row: Int): Boolean = !isTyped(row) && value.forall(_.isNullAt(row))

  /** The bytes of a value that the file holds in one binary; None for other values. */
  def whole(row: Int): Option[Array[Byte]] = if (isTyped(row)) None else binary(row)

  def isNullVariant(row: Int): Boolean =
    value match {
      case Some(bytes) if !bytes.isNullAt(row) && !isTyped(row) =>
        val found = bytes.getBinary(row)
        found.length == 1 && found(0) == 0
      case _ => false
    }

  /** The column of the values at a path, when the file has one that can be read as the type without
    * making variants.
    */
  def column(steps: Vector[VariantStep], target: DataType): Option[VariantPart.Column] =
    (steps, shape.typed.zip(typedVector)) match {
      case (Vector(), Some((scalar: VariantShape.Scalar, vector))) =>
        scalar.direct(target).map(VariantPart.Column(vector, _, value.toVector))
      case (VariantStep.Field(name) +: rest, Some((VariantShape.Fields(fields), vector))) =>
        fields.indexWhere(_._1 == name) match {
          case -1 => None
          case index =>
            new VariantPart(vector.getChild(index), 0, fields(index)._2)
              .column(rest, target)
              .map(found => found.copy(elsewhere = value.toVector ++ found.elsewhere))
        }
      case _ => None
    }

  def append(row: Int, metadata: Array[Byte], to: VariantBuilder): Unit =
    typed.filter(_ => isTyped(row)) match {
      case Some(own) => own.append(row, metadata, binary(row), to)
      case None =>
        binary(row) match {
          case Some(bytes) => SparkVariants.append(bytes, 0, metadata, to)
          case None => to.appendNull()
        }
    }
}

private object VariantPart {

  /** A column that holds values at a path.
    *
    * @param elsewhere the binaries that hold the other values
    */
  final case class Column(
      vector: ColumnVector,
      direct: DirectValue,
      elsewhere: Vector[ColumnVector],
  ) {
    def values(others: ExtractedField): ExtractedValues =
      new ColumnOfVariant(vector, direct, elsewhere.toArray, others)
  }

  trait Typed {

    /** @param rest the fields of an object that do not have their own columns, as one binary */
    def append(
        row: Int,
        metadata: Array[Byte],
        rest: Option[Array[Byte]],
        to: VariantBuilder,
    ): Unit
  }

  def typed(kind: VariantShape.Typed, vector: WritableColumnVector): Typed =
    kind match {
      case VariantShape.Scalar(_, _, append, _) => (row, _, _, to) => append(vector, row, to)
      case VariantShape.Items(element) => items(vector, element)
      case VariantShape.Fields(fields) => objects(vector, fields)
    }

  private def items(vector: WritableColumnVector, element: VariantShape): Typed = {
    val part = new VariantPart(vector.getChild(0), 0, element)
    (row, metadata, _, to) => {
      val start = to.getWritePos
      val offsets = new ArrayList[Integer]
      (0 until vector.getArrayLength(row)).foreach { index =>
        offsets.add(to.getWritePos - start)
        part.append(vector.getArrayOffset(row) + index, metadata, to)
      }
      to.finishWritingArray(start, offsets)
    }
  }

  private def objects(
      vector: WritableColumnVector,
      fields: Vector[(String, VariantShape)],
  ): Typed = {
    val parts = fields.zipWithIndex.map { case ((name, shape), index) =>
      name -> new VariantPart(vector.getChild(index), 0, shape)
    }
    (row, metadata, rest, to) => {
      val start = to.getWritePos
      val entries = new ArrayList[FieldEntry]
      parts.foreach { case (name, part) =>
        if (!part.isMissing(row))
          SparkVariants.appendField(name, start, entries, to)(part.append(row, metadata, to))
      }
      rest.foreach(SparkVariants.appendFields(_, 0, metadata, start, entries, to))
      to.finishWritingObject(start, entries)
    }
  }
}
