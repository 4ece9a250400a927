package ducklake.files.copy

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter.PlainIntegerDictionaryValuesWriter
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter.PlainLongDictionaryValuesWriter
import org.apache.parquet.column.values.factory.DefaultValuesWriterFactory
import org.apache.parquet.column.values.factory.ValuesWriterFactory
import org.apache.parquet.column.values.fallback.FallbackValuesWriter
import org.apache.parquet.column.values.plain.PlainValuesWriter
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/** Writes floats bit by bit. Parquet's own writers replace all NaN values by one. Otherwise the
  * pages are the same: a plain float has the bytes of a plain integer.
  */
private[copy] final class ExactFloats extends ValuesWriterFactory {

  private val others = new DefaultValuesWriterFactory
  private var properties: ParquetProperties = ParquetProperties.builder().build()

  override def initialize(known: ParquetProperties): Unit = {
    properties = known
    others.initialize(known)
  }

  override def newValuesWriter(column: ColumnDescriptor): ValuesWriter =
    column.getPrimitiveType.getPrimitiveTypeName match {
      case PrimitiveTypeName.FLOAT =>
        val words = new PlainIntegerDictionaryValuesWriter(
          properties.getDictionaryPageSizeThreshold,
          Encoding.RLE_DICTIONARY,
          Encoding.PLAIN,
          properties.getAllocator,
        )
        new FloatBits(FallbackValuesWriter.of(words, plain))
      case PrimitiveTypeName.DOUBLE =>
        val words = new PlainLongDictionaryValuesWriter(
          properties.getDictionaryPageSizeThreshold,
          Encoding.RLE_DICTIONARY,
          Encoding.PLAIN,
          properties.getAllocator,
        )
        new FloatBits(FallbackValuesWriter.of(words, plain))
      case _ => others.newValuesWriter(column)
    }

  private def plain: PlainValuesWriter =
    new PlainValuesWriter(
      properties.getInitialSlabSize,
      properties.getPageSizeThreshold,
      properties.getAllocator,
    )
}

/** Writes floating numbers as the integers of the same bits. */
private final class FloatBits(bits: ValuesWriter) extends ValuesWriter {

  override def writeFloat(value: Float): Unit =
    bits.writeInteger(java.lang.Float.floatToRawIntBits(value))

  override def writeDouble(value: Double): Unit =
    bits.writeLong(java.lang.Double.doubleToRawLongBits(value))

  override def getBufferedSize: Long = bits.getBufferedSize
  override def getBytes: BytesInput = bits.getBytes
  override def getEncoding: Encoding = bits.getEncoding
  override def reset(): Unit = bits.reset()
  override def close(): Unit = bits.close()
  override def toDictPageAndClose(): DictionaryPage = bits.toDictPageAndClose()
  override def resetDictionary(): Unit = bits.resetDictionary()
  override def getAllocatedSize: Long = bits.getAllocatedSize
  override def memUsageString(prefix: String): String = bits.memUsageString(prefix)
}
