package ducklake.catalog.types.binary

import ducklake.catalog.types.Literal

import scala.collection.immutable.ArraySeq

/** A variant as bytes: its metadata in Parquet's encoding, directly followed by its value. Lakes of
  * version 1.1 store inlined variants in this form in PostgreSQL and SQLite.
  *
  * Source: format 14.3; Parquet format, VariantEncoding, version 1.
  */
private[types] object VariantBytes {

  /** The variant of these bytes. None when the metadata are damaged or nothing follows them. */
  def split(bytes: ArraySeq[Byte]): Option[Literal] =
    for {
      header <- bytes.headOption
      if (header & 0x0f) == version
      width = ((header >> 6) & 3) + 1
      entries <- number(bytes, 1, width)
      offsets = 1L + width
      last <- number(bytes, offsets + entries * width, width)
      end = offsets + (entries + 1) * width + last
      if end < bytes.length
      (metadata, value) = bytes.splitAt(end.toInt)
    } yield Literal.Variant(metadata, value)

  private val version = 1

  /** The little-endian number of this many bytes. None outside the bytes. */
  private def number(bytes: ArraySeq[Byte], at: Long, width: Int): Option[Long] =
    Option.when(at + width <= bytes.length) {
      (0 until width).foldRight(0L)((index, sum) => sum << 8 | bytes(at.toInt + index) & 0xffL)
    }
}
