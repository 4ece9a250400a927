package ducklake.catalog.cache

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

import java.nio.charset.StandardCharsets
import java.util.Arrays
import java.util.BitSet

/** The minimum or maximum of one column for each file of an index, in packed arrays. Callers read
  * only the entries of files whose bound is known.
  */
private[catalog] sealed trait Bounds {
  def bytes: Long
  def literal(at: Int): Option[Literal]

  /** Whether the catalog records that the bound is a value of the file; false when this was not
    * read.
    */
  def isValue(at: Int): Boolean
}

private[catalog] object Bounds {

  final class Longs(val form: LongEncoding, val values: Array[Long]) extends Bounds {
    def bytes: Long = 8L * values.length
    def literal(at: Int): Option[Literal] = Some(form.read(values(at)))
    def isValue(at: Int): Boolean = false
  }

  /** Stored texts in UTF-8, one after another, in no particular order. */
  final class Texts(
      dataType: LakeType.Primitive,
      private[catalog] val content: Array[Byte],
      private[catalog] val starts: Array[Int],
      private[catalog] val lengths: Array[Int],
      private[catalog] val valued: BitSet,
  ) extends Bounds {
    def bytes: Long = content.length + 8L * starts.length + valued.size / 8

    def isValue(at: Int): Boolean = valued.get(at)

    def literal(at: Int): Option[Literal] =
      ValueText.parseStatistic(
        new String(content, starts(at), lengths(at), StandardCharsets.UTF_8),
        dataType,
      )

    /** Compares by unsigned bytes, which is the order of texts. */
    def compare(at: Int, other: Array[Byte]): Int =
      Arrays.compareUnsigned(content, starts(at), starts(at) + lengths(at), other, 0, other.length)
  }
}
