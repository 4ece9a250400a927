package ducklake.spark.write

import ducklake.catalog.change.InlinedStatistics
import ducklake.spark.parquet.write.ColumnConverters
import ducklake.spark.parquet.write.LakeRow
import ducklake.spark.sparkapi.RowCopies
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The first rows of a task, held back until it is known whether there are more than the catalog takes:
  * so that nothing is computed twice and no file is made in vain.
  */
private[write] final class RowBuffer(spec: WriteSpec) {

  private val copies = new RowCopies(spec.schema)

  // One task writes on one thread.
  private var held: Vector[UnsafeRow] = Vector.empty
  private var bytes = 0L

  def rows: Vector[UnsafeRow] = held

  /** Whether it took the row: it takes only so many, and only so much. */
  def add(row: InternalRow): Boolean =
    if (held.size >= spec.mostHeld) false
    else {
      val copy = copies.of(row)
      bytes += copy.getSizeInBytes.toLong
      val isRoom = bytes <= RowBuffer.mostBytes
      if (isRoom) held :+= copy
      isRoom
    }

  /** Gives the rows away. */
  def release(): Vector[UnsafeRow] = {
    val rows = held
    held = Vector.empty
    rows
  }

  /** Refuses what a file would refuse. Errors: InvalidValue. */
  def check(): Unit = if (held.nonEmpty) {
    val outgoing = ColumnConverters.of(spec.columns, spec.rule)
    held.foreach(outgoing.check)
    val literals = new LakeRow(spec.columns, spec.rule)
    CalendarCheck.refuse(spec, InlinedStatistics.of(spec.columns, held.map(literals.literals)))
  }
}

private object RowBuffer {

  /** What a task holds in memory and sends to the driver at most. */
  private val mostBytes = 1L << 20
}
