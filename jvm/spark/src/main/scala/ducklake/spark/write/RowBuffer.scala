package ducklake.spark.write

import ducklake.catalog.change.statistics.InlinedStatistics
import ducklake.spark.parquet.write.ColumnConverters
import ducklake.spark.parquet.write.LakeRow
import ducklake.spark.sparkapi.task.RowCopies
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Buffers the first rows of a task until it is known whether there are more rows than may be
  * inlined. So no row is computed twice, and no file is written in vain.
  */
private[write] final class RowBuffer(spec: WriteSpec) {

  private val copies = new RowCopies(spec.schema)

  // One task writes on one thread.
  private var buffered: Vector[UnsafeRow] = Vector.empty
  private var bytes = 0L

  def rows: Vector[UnsafeRow] = buffered

  /** Adds the row. Returns false and leaves the row out when the buffer has no room: the number of
    * rows and their size are limited.
    */
  def add(row: InternalRow): Boolean =
    if (buffered.size >= spec.maxBufferedRows) false
    else {
      val copy = copies.of(row)
      bytes += copy.getSizeInBytes.toLong
      val fits = bytes <= spec.maxBufferedBytes
      if (fits) buffered :+= copy
      fits
    }

  /** Returns the rows and empties the buffer. */
  def release(): Vector[UnsafeRow] = {
    val rows = buffered
    buffered = Vector.empty
    rows
  }

  /** Refuses values that a file would refuse. Errors: InvalidValue. */
  def check(): Unit = if (buffered.nonEmpty) {
    val converters = ColumnConverters.of(spec.columns, spec.rule)
    buffered.foreach(converters.check)
    val literals = new LakeRow(spec.columns, spec.rule)
    CalendarCheck.refuse(spec, InlinedStatistics.of(spec.columns, buffered.map(literals.literals)))
  }
}
