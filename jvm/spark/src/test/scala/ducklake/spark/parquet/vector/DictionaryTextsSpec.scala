package ducklake.spark.parquet.vector

import org.apache.spark.sql.execution.vectorized.Dictionary
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.StringType
import org.scalatest.funsuite.AnyFunSuite

class DictionaryTextsSpec extends AnyFunSuite {

  private final class Named(prefix: String) extends Dictionary {
    override def decodeToInt(id: Int): Int = fail("not a number")
    override def decodeToLong(id: Int): Long = fail("not a number")
    override def decodeToFloat(id: Int): Float = fail("not a number")
    override def decodeToDouble(id: Int): Double = fail("not a number")
    override def decodeToBinary(id: Int): Array[Byte] = s"$prefix$id".getBytes("UTF-8")
  }

  private val below = new OnHeapColumnVector(4, StringType)
  private val texts = new DictionaryTexts(below)

  private def begin(prefix: String, ids: Int*): Unit = {
    below.reset()
    below.setDictionary(new Named(prefix))
    val indexes = below.reserveDictionaryIds(ids.length)
    ids.zipWithIndex.foreach { case (id, row) => indexes.putInt(row, id) }
  }

  private def shown: Vector[Option[String]] =
    (0 until 4).toVector.map { row =>
      val text = Option(texts.getUTF8String(row)).map(_.toString)
      assert(texts.isNullAt(row) == text.isEmpty)
      text
    }

  test("rows of one batch share the strings of its dictionary") {
    begin("a", 1, 0, 1, 1)
    texts.start()

    assert(shown == Vector("a1", "a0", "a1", "a1").map(Some(_)))
    assert(texts.getUTF8String(0) eq texts.getUTF8String(3))
    assert(!texts.hasNull)
  }

  test("the next batch has another dictionary, or none") {
    begin("a", 1, 0, 1, 1)
    texts.start()
    shown: Unit
    begin("b", 1, 1, 0, 2)
    texts.start()

    assert(shown == Vector("b1", "b1", "b0", "b2").map(Some(_)))
    below.reset()
    below.setDictionary(None.orNull)
    "wxyz".zipWithIndex.foreach { case (letter, row) =>
      below.putByteArray(row, letter.toString.getBytes("UTF-8"))
    }
    texts.start()
    assert(shown == Vector("w", "x", "y", "z").map(Some(_)))
  }

  test("rows are NULL, or refer to the end of a large dictionary") {
    begin("c", 255, 256, 7, 1000000)
    below.putNull(2)
    texts.start()

    assert(shown == Vector(Some("c255"), Some("c256"), None, Some("c1000000")))
    assert(texts.hasNull && texts.numNulls == 1)
  }
}
