package ducklake.files.delete

import org.roaringbitmap.IntConsumer
import org.roaringbitmap.RoaringBitmap
import org.roaringbitmap.RoaringBitmapWriter

import java.nio.ByteBuffer

import scala.collection.mutable

/** Row positions of one data file as Roaring bitmaps, for sending and collecting them: a position
  * takes two bytes, 65,536 rows take ten more and 8 KiB at most, and long runs almost nothing.
  * Immutable.
  *
  * @param bytes for each block of 2³² positions with deletes, its number and its bitmap
  * @param size the number of positions
  */
final class CompressedPositions private (private val bytes: Array[Byte], val size: Long)
    extends Serializable {

  def isEmpty: Boolean = size == 0L

  def sizeBytes: Int = bytes.length

  def positions: DeletedPositions = {
    // Mutable inside, because delete files may name millions of rows.
    val all = new Array[Long](Math.toIntExact(size))
    var next = 0
    parts { (number, bitmap) =>
      val high = number.toLong << Integer.SIZE
      val add: IntConsumer = low => {
        all(next) = high | Integer.toUnsignedLong(low)
        next += 1
      }
      bitmap.forEach(add)
    }
    DeletedPositions.of(all)
  }

  /** Whether one of these positions is among them. */
  def containsAny(sought: IndexedSeq[Long]): Boolean = {
    var found = false
    parts { (number, bitmap) =>
      found ||= sought.exists { position =>
        (position >>> Integer.SIZE).toInt == number && bitmap.contains(position.toInt)
      }
    }
    found
  }

  /** Gives the bitmaps to `take`, each after its number, in order. */
  private def parts(take: (Int, RoaringBitmap) => Unit): Unit = {
    val source = ByteBuffer.wrap(bytes)
    while (source.hasRemaining) {
      val number = source.getInt()
      val bitmap = new RoaringBitmap
      bitmap.deserialize(source.slice())
      source.position(source.position() + bitmap.serializedSizeInBytes()): Unit
      take(number, bitmap)
    }
  }
}

object CompressedPositions {

  val empty: CompressedPositions = new CompressedPositions(Array.emptyByteArray, 0L)

  /** The positions of all of them. Each is read once, for any number of them. */
  def union(all: Iterable[CompressedPositions]): CompressedPositions =
    if (all.sizeIs <= 1) all.headOption.getOrElse(empty)
    else {
      val united = mutable.TreeMap.empty[Int, RoaringBitmap]
      all.foreach(_.parts { (number, bitmap) =>
        united.get(number).fold(united.update(number, bitmap))(_.or(bitmap))
      })
      val bytes = united.iterator.map { case (number, bitmap) => part(number, bitmap) }.toVector
      new CompressedPositions(
        Array.concat(bytes: _*),
        united.valuesIterator.map(_.getLongCardinality).sum,
      )
    }

  /** Compresses positions in any order. Positions may repeat.
    *
    * Errors: IllegalArgumentException when a position is negative.
    */
  def apply(positions: Array[Long]): CompressedPositions =
    CompressedPositions(DeletedPositions(positions))

  def apply(positions: DeletedPositions): CompressedPositions =
    if (positions.isEmpty) empty
    else {
      require(positions.asSequence.head >= 0, "a position is negative")
      new CompressedPositions(encoded(positions), positions.size.toLong)
    }

  private def encoded(positions: DeletedPositions): Array[Byte] = {
    // Mutable inside, as above. Positions ascend, so each bitmap is filled by appending.
    var parts = Vector.empty[Array[Byte]]
    var high = -1
    val writer = RoaringBitmapWriter.writer().runCompress(true).get()
    def end(): Unit =
      if (high >= 0) {
        parts :+= part(high, writer.get())
        writer.reset()
      }
    positions.foreach { position =>
      val own = (position >>> Integer.SIZE).toInt
      if (own != high) {
        end()
        high = own
      }
      writer.add(position.toInt)
    }
    end()
    Array.concat(parts: _*)
  }

  private def part(high: Int, bitmap: RoaringBitmap): Array[Byte] = {
    bitmap.runOptimize(): Unit
    val buffer = ByteBuffer.allocate(Integer.BYTES + bitmap.serializedSizeInBytes())
    buffer.putInt(high): Unit
    bitmap.serialize(buffer)
    buffer.array()
  }
}
