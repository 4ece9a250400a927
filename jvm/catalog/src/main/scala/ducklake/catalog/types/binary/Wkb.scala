package ducklake.catalog.types.binary

import java.nio.BufferUnderflowException
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.Arrays

/** Geometries as well-known binary.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_geometries; ISO 13249-3, and the flags of PostGIS.
  */
object Wkb {

  /** The bytes that DuckDB shows for a geometry: little-endian, with ISO's numbers for three and
    * four dimensions, without a reference system. None for bytes that DuckDB does not read, and for
    * collections in more than 15 others, for which it has no text.
    */
  def canonical(bytes: Array[Byte]): Option[Array[Byte]] = {
    val in = ByteBuffer.wrap(bytes)
    val out = ByteBuffer.allocate(bytes.length).order(ByteOrder.LITTLE_ENDIAN)
    val isGeometry =
      try new Copy(in, out).geometry(None, None, depth = 0) && !in.hasRemaining
      catch { case _: BufferUnderflowException => false }
    Option.when(isGeometry) {
      if (Arrays.equals(bytes, out.array)) bytes else Arrays.copyOf(out.array, out.position())
    }
  }

  private val Point = 1
  private val LineString = 2
  private val Polygon = 3
  private val Collection = 7

  /** How many geometries may contain a geometry. */
  private val MostDepth = 15

  private val HasZ = 0x80000000
  private val HasM = 0x40000000
  private val HasSystem = 0x20000000
  private val Flags = HasZ | HasM | HasSystem

  /** Copies a geometry. Counts have four bytes, and so has each number of a shape. */
  private final class Copy(in: ByteBuffer, out: ByteBuffer) {

    /** @param wanted the shape that it must have, as a part of another
      * @param dimensions ISO's number of dimensions that it must have
      * @return whether DuckDB reads it
      */
    def geometry(wanted: Option[Int], dimensions: Option[Int], depth: Int): Boolean = {
      in.order(if (in.get() == 1) ByteOrder.LITTLE_ENDIAN else ByteOrder.BIG_ENDIAN)
      val code = in.getInt()
      val iso = code & ~Flags
      val shape = iso % 1000
      val own = dimensionsOf(code, iso / 1000)
      val fits = iso >= 0 && iso < 4000 && depth <= MostDepth && wanted.forall(_ == shape) &&
        dimensions.forall(_ == own)
      if ((code & HasSystem) != 0) in.getInt(): Unit
      fits && {
        out.put(1.toByte).putInt(shape + own * 1000)
        content(shape, own, depth)
      }
    }

    private def dimensionsOf(code: Int, iso: Int): Int = {
      val hasZ = (code & HasZ) != 0 || iso == 1 || iso == 3
      val hasM = (code & HasM) != 0 || iso == 2 || iso == 3
      (if (hasZ) 1 else 0) + (if (hasM) 2 else 0)
    }

    private def content(shape: Int, dimensions: Int, depth: Int): Boolean = {
      val numbers = if (dimensions == 0) 2 else if (dimensions == 3) 4 else 3
      def part(wanted: Option[Int]) = geometry(wanted, Some(dimensions), depth + 1)
      shape match {
        case Point => points(1, numbers)
        case LineString => points(count(), numbers)
        case Polygon => each(points(count(), numbers))
        case Collection => each(part(None))
        case several if several > Polygon && several < Collection =>
          each(part(Some(several - Polygon)))
        case _ => false
      }
    }

    private def count(): Int = {
      val value = in.getInt()
      out.putInt(value)
      value
    }

    private def each(copy: => Boolean): Boolean = {
      val parts = count()
      parts >= 0 && (0 until parts).forall(_ => copy)
    }

    private def points(count: Int, numbers: Int): Boolean = {
      val size = 8L * count * numbers
      val isThere = count >= 0 && size <= in.remaining
      if (isThere) (0 until count * numbers).foreach(_ => out.putLong(in.getLong()))
      isThere
    }
  }
}
