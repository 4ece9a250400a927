package ducklake.files.path

import java.util

import scala.util.hashing.MurmurHash3

/** The places of files that must not be deleted, as 64-bit hashes: 8 bytes for each file, and for
  * each symbolic link to a file also the place of its target. A file whose place has the hash of a
  * known place by chance is kept, which does no harm.
  *
  * @param hashes sorted
  */
final class KnownPlaces private (hashes: Array[Long]) extends Serializable {

  /** Whether the path, in DuckDB's spelling or Hadoop's form, means the place of a known file. */
  def has(path: String): Boolean = {
    val place = FilePlace.of(path)
    isKnown(place) || FilePlace.withoutAccount(place).exists(isKnown)
  }

  private def isKnown(place: String): Boolean =
    util.Arrays.binarySearch(hashes, KnownPlaces.hash(place)) >= 0

  def size: Int = hashes.length
}

object KnownPlaces {

  /** The places of all paths that `foreach` passes to its argument. A path may come several times.
    */
  def of(foreach: (String => Unit) => Unit): KnownPlaces = {
    // A growing array of numbers, because a lake may have millions of files.
    var hashes = new Array[Long](1024)
    var size = 0
    val places = FilePlace.remembering()
    foreach { path =>
      places.allOf(path).foreach { place =>
        if (size == hashes.length) hashes = util.Arrays.copyOf(hashes, size * 2)
        hashes(size) = hash(place)
        size += 1
      }
    }
    val sorted = util.Arrays.copyOf(hashes, size)
    util.Arrays.sort(sorted)
    new KnownPlaces(sorted)
  }

  private def hash(place: String): Long = {
    val high = MurmurHash3.stringHash(place, 17).toLong
    val low = MurmurHash3.stringHash(place, 42).toLong
    (high << 32) | (low & 0xffffffffL)
  }
}
