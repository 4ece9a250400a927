package ducklake.spark.parquet.rowgroup

import org.scalatest.funsuite.AnyFunSuite

import java.nio.ByteBuffer
import java.nio.ByteOrder

import scala.util.Random

/** Numbers that Parquet's own encoder wrote. */
class HybridRunsSpec extends AnyFunSuite {

  private def encoded(numbers: Seq[Int], width: Int): ByteBuffer = {
    val encoder = SelectedValues.encoder(width)
    numbers.foreach(encoder.writeInt)
    val bytes = encoder.toBytes.toInputStream
    bytes.slice(bytes.available).order(ByteOrder.LITTLE_ENDIAN)
  }

  /** Long and short runs of one number, and numbers at random. */
  private def numbers(chance: Random, width: Int): Vector[Int] =
    Vector
      .fill(1 + chance.nextInt(40)) {
        val most = if (width == 32) -1 else (1 << width) - 1
        def one = chance.nextInt() & most
        val length = chance.nextInt(if (chance.nextBoolean()) 12 else 700)
        if (chance.nextBoolean()) Vector.fill(length)(one)
        else {
          val repeated = one
          Vector.fill(length)(repeated)
        }
      }
      .flatten

  private def places(chance: Random, count: Int): Vector[Int] = {
    val step = 1 + chance.nextInt(100)
    (0 until count).filter(_ => chance.nextInt(step) == 0).toVector
  }

  (0 to 32).foreach { width =>
    test(s"numbers of $width bits are found by their places") {
      val chance = new Random(width.toLong)
      (1 to 20).foreach { _ =>
        val written = numbers(chance, width)
        val runs = new HybridRuns(encoded(written, width), 0, width)
        places(chance, written.length).foreach(place => assert(runs(place) == written(place)))
      }
    }
  }

  test("ones are counted on the way") {
    val chance = new Random(1)
    (1 to 200).foreach { _ =>
      val written = numbers(chance, 1)
      val runs = new HybridRuns(encoded(written, 1), 0, 1)
      places(chance, written.length).foreach { place =>
        assert(runs.onesBefore(place) == written.take(place).sum)
        assert(runs(place) == written(place))
      }
    }
  }

  test("runs that end early are an error") {
    val runs = new HybridRuns(encoded(Vector.fill(10)(1), 1), 0, 1)

    assertThrows[IndexOutOfBoundsException](runs(1000))
  }
}
