package ducklake.spark.parquet.write

import ducklake.spark.config.WriteConfig
import ducklake.spark.sparkapi.task.RowCopies
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType

/** The first rows of a file, which wait until the columns of the file's variants are known.
  *
  * Source: Spark looks at as many rows of its own Parquet files.
  */
private[write] final class VariantSample(columns: ColumnConverters, config: WriteConfig) {

  private val copies = new RowCopies(columns.shown)

  // One task writes on one thread.
  private var kept: Vector[InternalRow] = Vector.empty
  private var bytes = 0L

  def rows: Vector[InternalRow] = kept

  def sizeBytes: Long = bytes

  /** Keeps the row. Returns false and leaves the row out when there are enough. */
  def add(row: InternalRow): Boolean = {
    val isOpen = kept.size < VariantSample.Rows && bytes < VariantSample.Bytes
    if (isOpen) {
      val copy = copies.of(row)
      bytes += copy.getSizeInBytes.toLong
      kept :+= copy
    }
    isOpen
  }

  /** The type of the rows with the columns of variants. */
  def rowType: StructType =
    VariantSample.stated(columns, config, SparkShredding.inferred(columns.rowType, kept))
}

private[write] object VariantSample {

  private val Rows = 4096
  private val Bytes = 16L << 20

  /** None when no row needs to be seen. */
  def of(columns: ColumnConverters, config: WriteConfig): Option[VariantSample] =
    Option.when(config.infersVariants && columns.rowType.fields.exists(isOpen(_, config)))(
      new VariantSample(columns, config)
    )

  /** The type of the rows with the columns that the lake's option gives to variants. */
  def stated(columns: ColumnConverters, config: WriteConfig): StructType =
    stated(columns, config, columns.rowType)

  private def stated(
      columns: ColumnConverters,
      config: WriteConfig,
      others: StructType,
  ): StructType =
    StructType(columns.rowType.fields.zip(others.fields).map { case (field, other) =>
      stated(field, config).fold(other)(own => field.copy(dataType = own))
    })

  private def stated(field: StructField, config: WriteConfig): Option[DataType] =
    Option.when(field.dataType == VariantType)(field.name).flatMap(config.shredding.of).map {
      VariantLayout.values(_) match {
        case VariantType => VariantType
        case values => SparkShredding.of(values)
      }
    }

  private def isOpen(field: StructField, config: WriteConfig): Boolean =
    field.dataType match {
      case VariantType => config.shredding.of(field.name).isEmpty
      case struct: StructType => struct.fields.exists(part => holdsVariant(part.dataType))
      case _ => false
    }

  private def holdsVariant(dataType: DataType): Boolean =
    dataType match {
      case VariantType => true
      case struct: StructType => struct.fields.exists(part => holdsVariant(part.dataType))
      case _ => false
    }
}
