package ducklake.spark.maintenance.flush

import ducklake.catalog.listing.RowVersion
import ducklake.catalog.listing.RowVersionReceiver
import ducklake.spark.types.LiteralSizes

import scala.collection.mutable

/** Divides the row versions of an inlined table into pages while they are read. All versions of a
  * page are of one partition, so that a partition gets few files even if its rows are mixed with
  * others. For one thread.
  *
  * @param take gets each page when it is full, and at the end the other pages. It must forget
  *   earlier pages when a read begins again
  */
private[flush] final class FlushPages(spec: FlushSpec, take: FlushPages.Taker)
    extends RowVersionReceiver {
  import FlushPages.*

  private val open = mutable.LinkedHashMap.empty[Partition, Page]
  private var openBytes = 0L
  private var count = 0L

  def begin(): Unit = {
    open.clear()
    openBytes = 0L
    count = 0L
    take.begin()
  }

  def add(version: RowVersion): Unit = {
    count += 1
    val partition = FlushedPositions.partition(version, spec.keys)
    val page = open.getOrElseUpdate(partition, new Page)
    val bytes = sizeOf(version)
    page.add(version, bytes)
    openBytes += bytes
    if (page.isFull) end(partition)
    else if (openBytes > MostOpenBytes) endLargest()
  }

  /** Ends half of the pages at once, because finding the largest takes time proportional to the
    * number of pages.
    */
  private def endLargest(): Unit =
    open.toVector
      .sortBy { case (_, page) => -page.bytes }
      .take((open.size + 1) / 2)
      .foreach { case (partition, _) => end(partition) }

  /** Ends all pages. */
  def finish(): Unit = open.keys.toVector.foreach(end)

  /** The number of versions. */
  def size: Long = count

  private def end(partition: Partition): Unit =
    open.remove(partition).foreach { page =>
      openBytes -= page.bytes
      take.page(page.versions.result())
    }
}

private[flush] object FlushPages {
  private type Partition = Option[Vector[Option[String]]]

  /** Takes pages. */
  trait Taker {
    def begin(): Unit

    /** @param versions ordered by row id and begin snapshot; at least one */
    def page(versions: Vector[RowVersion]): Unit
  }

  /** The number of rows that are written to one file. */
  val PageRows: Int = 100000

  /** The approximate size of a page's values in memory. */
  val PageBytes: Long = 32L * 1024 * 1024

  /** The approximate size of all pages that are not full. */
  val MostOpenBytes: Long = 2 * PageBytes

  private final class Page {
    val versions = Vector.newBuilder[RowVersion]
    private var rows = 0
    var bytes = 0L

    def add(version: RowVersion, more: Long): Unit = {
      versions += version
      rows += 1
      bytes += more
    }

    def isFull: Boolean = rows >= PageRows || bytes >= PageBytes
  }

  private val RowBytes = 100L

  /** The approximate size of a version in memory, in bytes. */
  def sizeOf(version: RowVersion): Long =
    RowBytes + (version.values ++ version.keys.flatten).map(LiteralSizes.of).sum
}
