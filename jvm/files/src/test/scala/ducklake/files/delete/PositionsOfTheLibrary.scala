package ducklake.files.delete

import org.roaringbitmap.longlong.LongConsumer
import org.roaringbitmap.longlong.Roaring64Bitmap

import java.nio.ByteBuffer
import java.nio.ByteOrder
import scala.annotation.unused

/** A measure, run by hand: what [[CompressedPositions]] and the library's own bitmap of long numbers
  * take for the same positions (decision 29).
  */
object PositionsOfTheLibrary {

  def main(@unused arguments: Array[String]): Unit =
    for ((step, count) <- Vector((1, 3000000), (10, 3000000), (1000, 1000000))) {
      val positions = DeletedPositions(Array.tabulate(count)(_.toLong * step))
      val all = Array.tabulate(count)(_.toLong * step)
      val runs = Vector.fill(7)(run(positions, all))
      val medians = runs.transpose.map(_.sorted.apply(runs.size / 2))
      println(
        s"$count positions, one of $step rows: written in ${medians(0)} and ${medians(1)} us, " +
          s"read in ${medians(2)} and ${medians(3)} us, ${medians(4)} and ${medians(5)} bytes"
      )
    }

  /** Ours first, then the library's: microseconds to write, to read, and bytes. */
  private def run(positions: DeletedPositions, all: Array[Long]): Vector[Long] = {
    val (writing, ours) = timed(CompressedPositions(positions))
    val (libraryWriting, theirs) = timed(written(all))
    val (reading, _) = timed(ours.positions)
    val (libraryReading, found) = timed(read(theirs, all.length))
    require(found.sameElements(all))
    Vector(
      writing,
      libraryWriting,
      reading,
      libraryReading,
      ours.sizeBytes.toLong,
      theirs.length.toLong,
    )
  }

  private def timed[A](work: => A): (Long, A) = {
    val before = System.nanoTime()
    val result = work
    ((System.nanoTime() - before) / 1000, result)
  }

  private def written(positions: Array[Long]): Array[Byte] = {
    val bitmap = new Roaring64Bitmap
    positions.foreach(bitmap.addLong)
    bitmap.runOptimize(): Unit
    val bytes =
      ByteBuffer.allocate(bitmap.serializedSizeInBytes().toInt).order(ByteOrder.LITTLE_ENDIAN)
    bitmap.serialize(bytes)
    bytes.array()
  }

  private def read(bytes: Array[Byte], count: Int): Array[Long] = {
    val bitmap = new Roaring64Bitmap
    bitmap.deserialize(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN))
    val all = new Array[Long](count)
    var next = 0
    val add: LongConsumer = position => {
      all(next) = position
      next += 1
    }
    bitmap.forEach(add)
    all
  }
}
