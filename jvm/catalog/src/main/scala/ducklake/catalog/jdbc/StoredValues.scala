package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Literal
import ducklake.catalog.types.inlined.StoredValue

import java.sql.Blob
import java.sql.Struct

import scala.collection.immutable.ArraySeq

/** Converts the objects that drivers return for values of inlined tables. */
private[jdbc] object StoredValues {

  def of(value: Any): StoredValue = Option(value).fold[StoredValue](StoredValue.Null) {
    case text: String => StoredValue.Text(text)
    case bytes: Array[Byte] => StoredValue.Bytes(ArraySeq.unsafeWrapArray(bytes))
    case blob: Blob => StoredValue.Bytes(bytesOf(blob))
    case bool: Boolean => StoredValue.Whole(if (bool) 1L else 0L)
    case whole @ (_: Byte | _: Short | _: Int | _: Long) =>
      StoredValue.Whole(whole.asInstanceOf[Number].longValue)
    case float: Float => StoredValue.Real(float.toDouble)
    case double: Double => StoredValue.Real(double)
    case decimal: java.math.BigDecimal => StoredValue.Decimal(decimal)
    case struct: Struct => variant(struct.getAttributes)
    case other => throw new LakeException(unexpected(other))
  }

  /** DuckDB returns a variant as a struct of its two binary parts. */
  private def variant(parts: Array[Object]): StoredValue = parts match {
    case Array(metadata: Blob, value: Blob) =>
      StoredValue.Native(Literal.Variant(bytesOf(metadata), bytesOf(value)))
    case other => throw new LakeException(unexpected(other))
  }

  private def bytesOf(blob: Blob): ArraySeq[Byte] =
    ArraySeq.unsafeWrapArray(blob.getBytes(1L, blob.length.toInt))

  private def unexpected(value: Any): LakeError =
    LakeError.CorruptCatalog("an inlined table", s"a value has the shape ${value.getClass.getName}")
}
