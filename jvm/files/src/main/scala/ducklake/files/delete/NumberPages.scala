package ducklake.files.delete

import org.apache.parquet.bytes.ByteBufferInputStream
import org.apache.parquet.bytes.BytesUtils
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.Dictionary
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.ValuesType
import org.apache.parquet.column.page.DataPage
import org.apache.parquet.column.page.DataPageV1
import org.apache.parquet.column.page.DataPageV2
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.column.values.ValuesReader
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder

import java.nio.ByteOrder

/** Reads a column of INT64 that is not nested, page by page: Parquet's own reader spends some calls
  * and checks on each value, and a table's history may name hundreds of millions of positions.
  *
  * @param absent stands for NULL
  */
private[delete] final class NumberPages(column: ColumnDescriptor, absent: Long) {
  import NumberPages.IsDefined

  /** Reads the values of a row group.
    *
    * @param from the index of the first value
    * @return the number of values other than NULL
    */
  def read(group: PageReadStore, into: Array[Long], from: Int): Int = {
    val pages = group.getPageReader(column)
    val dictionary =
      Option(pages.readDictionaryPage()).map(page => page.getEncoding.initDictionary(column, page))
    Iterator
      .continually(Option(pages.readPage()))
      .takeWhile(_.nonEmpty)
      .flatten
      .foldLeft((from, 0)) { case ((at, found), page) =>
        (at + page.getValueCount, found + readPage(page, dictionary, into, at))
      }
      ._2
  }

  private def readPage(
      page: DataPage,
      dictionary: Option[Dictionary],
      into: Array[Long],
      from: Int,
  ): Int = {
    val rows = page.getValueCount
    val (encoding, values, levels) = page match {
      case first: DataPageV1 =>
        val in = first.getBytes.toInputStream
        val repeated =
          first.getRlEncoding.getValuesReader(column, ValuesType.REPETITION_LEVEL)
        repeated.initFromPage(rows, in)
        (first.getValueEncoding, in, levelsBefore(in, first, rows))
      case second: DataPageV2 =>
        val in = second.getDefinitionLevels.toInputStream
        (second.getDataEncoding, second.getData.toInputStream, levelsIn(in, rows))
      case other => throw new IllegalStateException(s"a page of a new kind: ${other.getClass}")
    }
    val present = levels.fold(rows)(markPresent(rows, _, into, from))
    if (encoding == Encoding.PLAIN) copyPlain(values, present, rows, into, from)
    else {
      val reader = dictionary
        .filter(_ => encoding.usesDictionary)
        .map(encoding.getDictionaryBasedValuesReader(column, ValuesType.VALUES, _))
        .getOrElse(encoding.getValuesReader(column, ValuesType.VALUES))
      reader.initFromPage(rows, values)
      decode(reader, present == rows, rows, into, from)
    }
    present
  }

  /** The definition levels that stand before the values of a page. */
  private def levelsBefore(
      in: ByteBufferInputStream,
      page: DataPageV1,
      rows: Int,
  ): Option[IsDefined] =
    if (column.getMaxDefinitionLevel == 0) None
    else if (page.getDlEncoding == Encoding.RLE)
      levelsIn(in.sliceStream(BytesUtils.readIntLittleEndian(in).toLong), rows)
    else {
      val levels = page.getDlEncoding.getValuesReader(column, ValuesType.DEFINITION_LEVEL)
      levels.initFromPage(rows, in)
      Some(() => levels.readInteger() > 0)
    }

  /** None when all values are defined: their levels are then one run of ones. */
  private def levelsIn(in: ByteBufferInputStream, rows: Int): Option[IsDefined] =
    if (column.getMaxDefinitionLevel == 0) None
    else {
      in.mark(in.available)
      val header = BytesUtils.readUnsignedVarInt(in)
      val isRun = (header & 1) == 0 && (header >>> 1) >= rows
      if (isRun && in.read() == 1) None
      else {
        in.reset()
        val levels = new RunLengthBitPackingHybridDecoder(1, in)
        Some(() => levels.readInt() > 0)
      }
    }

  /** Puts `absent` where a value is NULL, and another number elsewhere. Returns the number of other
    * values.
    */
  private def markPresent(
      rows: Int,
      isDefined: IsDefined,
      into: Array[Long],
      from: Int,
  ): Int = {
    // Plain loops here and below: they run once for every position.
    var present = 0
    var row = 0
    while (row < rows) {
      if (isDefined()) {
        into(from + row) = ~absent
        present += 1
      } else into(from + row) = absent
      row += 1
    }
    present
  }

  private def copyPlain(
      in: ByteBufferInputStream,
      present: Int,
      rows: Int,
      into: Array[Long],
      from: Int,
  ): Unit = {
    val bytes = Math.multiplyExact(present, java.lang.Long.BYTES)
    val values = in.slice(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer
    if (present == rows) values.get(into, from, rows): Unit
    else {
      var row = 0
      while (row < rows) {
        if (into(from + row) != absent) into(from + row) = values.get()
        row += 1
      }
    }
  }

  private def decode(
      reader: ValuesReader,
      areAllPresent: Boolean,
      rows: Int,
      into: Array[Long],
      from: Int,
  ): Unit = {
    var row = 0
    while (row < rows) {
      if (areAllPresent || into(from + row) != absent) into(from + row) = reader.readLong()
      row += 1
    }
  }
}

private object NumberPages {

  /** Whether the next value is not NULL. A trait, because a function would box its answer. */
  private trait IsDefined {
    def apply(): Boolean
  }
}
