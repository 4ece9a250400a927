package ducklake.files.delete

import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.ObjectInputStream
import java.io.ObjectOutputStream

import scala.util.Random

class CompressedPositionsSpec extends AnyFunSuite {

  private def kept(positions: Long*): Vector[Long] =
    CompressedPositions(positions.toArray).positions.toVector

  private def sent(positions: CompressedPositions): CompressedPositions = {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(positions)
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject() match {
      case read: CompressedPositions => read
      case other => fail(s"unexpected $other")
    }
  }

  test("positions come back in order, each once") {
    assert(kept().isEmpty)
    assert(kept(0L) == Vector(0L))
    assert(kept(7L, 3L, 7L, 65536L) == Vector(3L, 7L, 65536L))
    assert(CompressedPositions(Array(7L, 3L, 7L)).size == 2L)
  }

  test("positions of more than 31 bits come back") {
    val large = Vector(5L, Int.MaxValue.toLong, Int.MaxValue + 1L, 0xffffffffL, 1L << 32, 3L << 40)
    assert(kept(large: _*) == large)
  }

  test("a negative position is refused, where others would be lost") {
    assertThrows[IllegalArgumentException](CompressedPositions(Array(-1L, 5L)))
  }

  test("positions at random come back, sent and united") {
    val random = new Random(5)
    (1 to 50).foreach { _ =>
      val parts = Vector.fill(random.nextInt(5))(some(random))
      val all = CompressedPositions.union(parts.map(part => sent(CompressedPositions(part))))
      val right = parts.flatten.distinct.sorted
      assert(all.positions.toVector == right)
      assert(all.size == right.size)
    }
  }

  private def some(random: Random): Array[Long] = {
    val width = 1 << random.nextInt(20)
    val high = random.nextInt(3).toLong << 32
    Array.fill(random.nextInt(3000))(high + random.nextInt(width))
  }

  test("5,000 positions of a million take little more than two bytes each, a run almost nothing") {
    val scattered = CompressedPositions(Array.tabulate(5000)(_ * 199L))
    assert(scattered.sizeBytes < 10500)
    assert(CompressedPositions(Array.tabulate(500000)(_ + 7L)).sizeBytes < 200)
  }

  test("positions are found among compressed ones") {
    val some = CompressedPositions(Array(3L, 70000L, (5L << 32) + 3L))

    assert(some.containsAny(Vector(1L, 70000L)))
    assert(some.containsAny(Vector((5L << 32) + 3L)))
    assert(!some.containsAny(Vector(1L, (4L << 32) + 3L, (5L << 32) + 70000L)))
    assert(!CompressedPositions.empty.containsAny(Vector(3L)))
  }
}
