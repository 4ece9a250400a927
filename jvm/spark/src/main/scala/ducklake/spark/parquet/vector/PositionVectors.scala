package ducklake.spark.parquet.vector

import org.apache.spark.sql.types.Decimal
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarArray
import org.apache.spark.sql.vectorized.ColumnarMap
import org.apache.spark.unsafe.types.UTF8String

/** The visible rows of a batch: row `i` of the result is row `kept(i)` of the vector below. The
  * array is refilled for each batch.
  */
final class Selection(capacity: Int) {
  val kept: Array[Int] = new Array[Int](capacity)
}

/** The selected rows of another vector. The counts of NULLs are the counts of the whole vector,
  * which Spark allows.
  */
final class SelectedVector(below: ColumnVector, selection: Selection)
    extends DerivedVector(below.dataType) {

  private val kept = selection.kept

  private val children: Array[ColumnVector] = below.dataType match {
    case struct: StructType => Array.tabulate(struct.length)(child)
    case _: VariantType => Array.tabulate(2)(child)
    case _ => Array.empty
  }

  override def hasNull: Boolean = below.hasNull
  override def numNulls: Int = below.numNulls
  override def isNullAt(row: Int): Boolean = below.isNullAt(kept(row))
  override def getBoolean(row: Int): Boolean = below.getBoolean(kept(row))
  override def getByte(row: Int): Byte = below.getByte(kept(row))
  override def getShort(row: Int): Short = below.getShort(kept(row))
  override def getInt(row: Int): Int = below.getInt(kept(row))
  override def getLong(row: Int): Long = below.getLong(kept(row))
  override def getFloat(row: Int): Float = below.getFloat(kept(row))
  override def getDouble(row: Int): Double = below.getDouble(kept(row))
  override def getArray(row: Int): ColumnarArray = below.getArray(kept(row))
  override def getMap(row: Int): ColumnarMap = below.getMap(kept(row))

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    below.getDecimal(kept(row), precision, scale)

  override def getUTF8String(row: Int): UTF8String = below.getUTF8String(kept(row))
  override def getBinary(row: Int): Array[Byte] = below.getBinary(kept(row))
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)

  private def child(ordinal: Int): ColumnVector =
    new SelectedVector(below.getChild(ordinal), selection)
}

/** A vector that computes a number for each row from the row's position in the file. */
abstract class PositionVector(positions: BatchPositions) extends DerivedVector(LongType) {

  protected def value(position: Long): Long

  final override def hasNull: Boolean = false
  final override def numNulls: Int = 0
  final override def isNullAt(row: Int): Boolean = false
  final override def getLong(row: Int): Long = value(positions(row))
}

/** Consecutive numbers from `start`, the number of the file's first row. */
final class CountingVector(start: Long, positions: BatchPositions)
    extends PositionVector(positions) {
  override protected def value(position: Long): Long = start + position
}

/** The snapshot of the run that contains the row's position.
  *
  * @param runs for each run, in the order of the file, its snapshot and the number of rows up to
  *   its end
  */
final class RunsVector(runs: Vector[(Long, Long)], positions: BatchPositions)
    extends PositionVector(positions) {

  private val snapshots = runs.map(_._1).toArray
  private val ends = runs.map(_._2).toArray

  override protected def value(position: Long): Long = {
    val found = java.util.Arrays.binarySearch(ends, position + 1)
    val index = if (found >= 0) found else -found - 1
    snapshots(math.min(index, snapshots.length - 1))
  }
}
