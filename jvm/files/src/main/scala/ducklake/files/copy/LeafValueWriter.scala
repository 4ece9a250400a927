package ducklake.files.copy

import ducklake.files.copy.plan.LeafConstant
import ducklake.files.copy.plan.LeafSource
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import java.nio.ByteBuffer

/** Takes the values of one leaf, row after row. */
private[copy] abstract class LeafValueWriter {

  protected def column: ColumnWriter

  /** Called after the last value of each row. */
  protected def endRow(): Unit

  /** Copies the next rows of a reader.
    *
    * @param live whether each row is copied; null: all rows. An Option would cost time for every
    *   row
    */
  def copy(reader: ColumnReader, source: LeafSource, rows: Int, live: Array[Boolean]): Unit = {
    // Plain loops: they run for every value.
    val defined = reader.getDescriptor.getMaxDefinitionLevel
    val definitions = source.definitions
    val value = source.value
    var row = 0
    while (row < rows) {
      val isCopied = live == null || live(row)
      var isInRow = true
      while (isInRow) {
        val level = reader.getCurrentDefinitionLevel
        if (isCopied) {
          val repetition = reader.getCurrentRepetitionLevel
          if (level == defined) value(reader, column, repetition, definitions(level))
          else column.writeNull(repetition, definitions(level))
        } else if (level == defined) reader.skip()
        reader.consume()
        isInRow = reader.getCurrentRepetitionLevel != 0
      }
      if (isCopied) endRow()
      row += 1
    }
  }

  /** Adds a row from its bytes.
    *
    * @param defined the definition level of a value
    */
  def addBytes(row: ByteBuffer, name: PrimitiveTypeName, defined: Int): Unit = {
    RowBytes.write(row, name, defined, column)
    endRow()
  }

  /** Adds rows that all have the same value. */
  def addConstant(rows: Int, value: LeafConstant): Unit = {
    var row = 0
    while (row < rows) {
      value.write(column)
      endRow()
      row += 1
    }
  }

  /** Adds a row with a number in a column that is not nested. */
  def add(value: Long): Unit = {
    column.write(value, 0, 1)
    endRow()
  }
}
