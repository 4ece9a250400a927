package ducklake.spark.parquet.filter

import ducklake.catalog.types.ColumnId
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector

import java.util.Arrays

/** Finds the rows of a batch that may meet a filter. For one thread. */
sealed abstract class RowTest {

  /** Begins with the next row group: its vectors have other dictionaries. */
  def startGroup(): Unit

  /** Chooses among rows of the current batch.
    *
    * @param rows offsets in the batch, ascending; afterwards those of the rows that may match first
    * @param count how many of them count
    * @return the number of rows that may match
    */
  def keep(rows: Array[Int], count: Int): Int
}

object RowTest {

  /** The test on vectors that are refilled for each batch.
    *
    * @param vectors the vectors of all columns of the test
    * @param capacity the most rows in a batch
    */
  def of(test: KeyTest, vectors: ColumnId => ColumnVector, capacity: Int): RowTest =
    test match {
      case KeyTest.Never => new Nothing
      case KeyTest.Nulls(column, isNull) => new NullTest(vectors(column), isNull)
      case KeyTest.Values(column, value) => new ValuesTest(vectors(column), value)
      case KeyTest.All(parts) => new All(parts.map(of(_, vectors, capacity)).toArray)
      case KeyTest.Any(parts) => new Any(parts.map(of(_, vectors, capacity)).toArray, capacity)
    }

  private final class Nothing extends RowTest {
    override def startGroup(): Unit = ()
    override def keep(rows: Array[Int], count: Int): Int = 0
  }

  private final class NullTest(vector: ColumnVector, isNull: Boolean) extends RowTest {
    override def startGroup(): Unit = ()

    override def keep(rows: Array[Int], count: Int): Int = {
      // A plain loop, as all below: it runs once for every row of a file.
      var index = 0
      var kept = 0
      while (index < count) {
        val row = rows(index)
        if (vector.isNullAt(row) == isNull) {
          rows(kept) = row
          kept += 1
        }
        index += 1
      }
      kept
    }
  }

  /** Tests the values of a column. A value of a dictionary is tested once for a row group. */
  private final class ValuesTest(vector: ColumnVector, test: ValueTest) extends RowTest {

    // What is known about the values of the dictionary, by index: 0 for those not yet tested.
    private var known = new Array[Byte](256)

    override def startGroup(): Unit = Arrays.fill(known, 0.toByte)

    override def keep(rows: Array[Int], count: Int): Int =
      vector match {
        case encoded: WritableColumnVector if encoded.hasDictionary =>
          keepEncoded(encoded.getDictionaryIds, rows, count)
        case _ => keepPlain(rows, count)
      }

    private def keepPlain(rows: Array[Int], count: Int): Int = {
      val mayBeNull = vector.hasNull
      var index = 0
      var kept = 0
      while (index < count) {
        val row = rows(index)
        if (!(mayBeNull && vector.isNullAt(row)) && test(vector, row)) {
          rows(kept) = row
          kept += 1
        }
        index += 1
      }
      kept
    }

    private def keepEncoded(ids: WritableColumnVector, rows: Array[Int], count: Int): Int = {
      val mayBeNull = vector.hasNull
      var index = 0
      var kept = 0
      while (index < count) {
        val row = rows(index)
        if (!(mayBeNull && vector.isNullAt(row)) && matches(ids.getDictId(row), row)) {
          rows(kept) = row
          kept += 1
        }
        index += 1
      }
      kept
    }

    private def matches(id: Int, row: Int): Boolean = {
      if (id >= known.length) known = Arrays.copyOf(known, math.max(id + 1, 2 * known.length))
      if (known(id) == 0) known(id) = if (test(vector, row)) 1 else 2
      known(id) == 1
    }
  }

  private final class All(parts: Array[RowTest]) extends RowTest {
    override def startGroup(): Unit = parts.foreach(_.startGroup())

    override def keep(rows: Array[Int], count: Int): Int = {
      var part = 0
      var kept = count
      while (part < parts.length && kept > 0) {
        kept = parts(part).keep(rows, kept)
        part += 1
      }
      kept
    }
  }

  private final class Any(parts: Array[RowTest], capacity: Int) extends RowTest {

    private val isFound = new Array[Boolean](capacity)
    private val tried = new Array[Int](capacity)

    override def startGroup(): Unit = parts.foreach(_.startGroup())

    override def keep(rows: Array[Int], count: Int): Int = {
      var part = 0
      var index = 0
      while (index < count) {
        isFound(rows(index)) = false
        index += 1
      }
      while (part < parts.length) {
        val found = parts(part).keep(tried, untried(rows, count))
        index = 0
        while (index < found) {
          isFound(tried(index)) = true
          index += 1
        }
        part += 1
      }
      chosen(rows, count)
    }

    /** Writes the rows that no part has found so far to `tried`. */
    private def untried(rows: Array[Int], count: Int): Int = {
      var index = 0
      var left = 0
      while (index < count) {
        if (!isFound(rows(index))) {
          tried(left) = rows(index)
          left += 1
        }
        index += 1
      }
      left
    }

    private def chosen(rows: Array[Int], count: Int): Int = {
      var index = 0
      var kept = 0
      while (index < count) {
        val row = rows(index)
        if (isFound(row)) {
          rows(kept) = row
          kept += 1
        }
        index += 1
      }
      kept
    }
  }
}
