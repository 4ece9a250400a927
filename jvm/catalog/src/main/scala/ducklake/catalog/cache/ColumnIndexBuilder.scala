package ducklake.catalog.cache

import ducklake.catalog.predicate.StatisticsText
import ducklake.catalog.predicate.StoredStatistics
import ducklake.catalog.types.LakeType

import java.nio.charset.StandardCharsets
import java.util.Arrays
import java.util.BitSet

/** Builds a [[ColumnIndex]] row by row. Mutable, for one thread. The buffers are plain arrays,
  * because a table may have a million files.
  */
final class ColumnIndexBuilder(dataType: LakeType.Primitive, size: Int) {
  import ColumnIndex.*

  private val flags = new Array[Byte](size)
  private var nulls = Array.empty[Long]
  private val form = LongEncoding.of(dataType)
  private val hasPlainDigits = dataType == LakeType.Int64 || dataType == LakeType.Int32
  private val longs = form.map(_ => (new Array[Long](size), new Array[Long](size)))
  private val texts = if (form.isEmpty) Some((new TextBuffer(size), new TextBuffer(size))) else None

  /** Copies the statistics of a file from an older index. */
  def copy(at: Int, from: ColumnIndex, fromAt: Int): Unit = {
    flags(at) = from.flags(fromAt)
    from.nulls.lift(fromAt).foreach(putNulls(at, _))
    (longs, texts, from.min, from.max) match {
      case (Some((min, max)), _, oldMin: Bounds.Longs, oldMax: Bounds.Longs) =>
        min(at) = oldMin.values(fromAt)
        max(at) = oldMax.values(fromAt)
      case (_, Some((min, max)), oldMin: Bounds.Texts, oldMax: Bounds.Texts) =>
        min.copy(at, oldMin, fromAt)
        max.copy(at, oldMax, fromAt)
      case _ => flags(at) = 0
    }
  }

  /** @param known the flags of [[ColumnIndex.Flags]], as the SQL statement computes them
    * @param nullCount 0 when it is not known
    */
  def put(
      at: Int,
      min: Option[String],
      max: Option[String],
      known: Int,
      nullCount: Long,
  ): Unit = {
    putNulls(at, nullCount)
    val hasCounts = (known & NoCounts) != NoCounts
    if (hasPlainDigits && hasCounts && isPlain(min) && isPlain(max)) putDigits(at, min, max, known)
    else putParsed(at, min, max, known)
  }

  def build(): ColumnIndex = {
    val (min, max) = (form, longs, texts) match {
      case (Some(kind), Some((low, high)), _) =>
        (new Bounds.Longs(kind, low), new Bounds.Longs(kind, high))
      case (_, _, Some((low, high))) => (low.build(dataType), high.build(dataType))
      case _ => throw new IllegalStateException("bounds are either longs or texts")
    }
    new ColumnIndex(dataType, flags, nulls, min, max)
  }

  private def putNulls(at: Int, count: Long): Unit =
    if (count > 0) {
      if (nulls.isEmpty) nulls = new Array[Long](size)
      nulls(at) = count
    }

  private def isPlain(text: Option[String]): Boolean =
    text.forall { digits =>
      val start = if (digits.startsWith("-")) 1 else 0
      val limit = if (dataType == LakeType.Int32) 9 else 18
      val length = digits.length - start
      length > 0 && length <= limit && (start until digits.length).forall(i =>
        isDigit(digits.charAt(i))
      )
    }

  private def isDigit(char: Char): Boolean = char >= '0' && char <= '9'

  /** As [[StatisticsText]] reads such a row, which has true counts. */
  private def putDigits(at: Int, min: Option[String], max: Option[String], known: Int): Unit =
    longs.foreach { case (low, high) =>
      min.foreach(text => low(at) = java.lang.Long.parseLong(text))
      max.foreach(text => high(at) = java.lang.Long.parseLong(text))
      flags(at) = all(known & 0xff, min.nonEmpty, max.nonEmpty)
    }

  /** Uses [[StatisticsText]], the only place that decides which statistics can be trusted. */
  private def putParsed(at: Int, min: Option[String], max: Option[String], known: Int): Unit = {
    val counts = known & 0xff
    val stored = StoredStatistics(
      min,
      max,
      if ((counts & NoValues) != 0) Some(0L)
      else if ((counts & SomeValues) != 0) Some(1L)
      else None,
      if ((counts & NoNulls) != 0) Some(0L) else if ((counts & SomeNulls) != 0) Some(1L) else None,
      if ((counts & NoNan) != 0) Some(false) else None,
      None,
    )
    val read = StatisticsText.read(stored, dataType)
    val counted = (if (read.valueCount.isEmpty) counts & ~(NoValues | SomeValues) else counts) &
      (if (read.nullCount.isEmpty) ~(NoNulls | SomeNulls) else -1)
    flags(at) = all(counted, read.min.nonEmpty, read.max.nonEmpty)
    longs.foreach { case (low, high) =>
      form.foreach { kind =>
        read.min.collect(kind.write).foreach(value => low(at) = value)
        read.max.collect(kind.write).foreach(value => high(at) = value)
      }
    }
    texts.foreach { case (low, high) =>
      if (read.min.nonEmpty) min.foreach(low.put(at, _, (known & MinIsValue) != 0))
      if (read.max.nonEmpty) max.foreach(high.put(at, _, (known & MaxIsValue) != 0))
    }
  }

  private def all(counts: Int, hasMin: Boolean, hasMax: Boolean): Byte =
    (HasRow | counts | (if (hasMin) HasMin else 0) | (if (hasMax) HasMax else 0)).toByte
}

/** A buffer of texts for [[Bounds.Texts]]. */
private final class TextBuffer(size: Int) {
  private val starts = new Array[Int](size)
  private val lengths = new Array[Int](size)
  private var content = new Array[Byte](1024)
  private val valued = new BitSet
  private var used = 0

  def put(at: Int, text: String, isValue: Boolean): Unit = {
    val bytes = text.getBytes(StandardCharsets.UTF_8)
    if (isValue) valued.set(at)
    append(at, bytes, 0, bytes.length)
  }

  def copy(at: Int, from: Bounds.Texts, fromAt: Int): Unit = {
    if (from.isValue(fromAt)) valued.set(at)
    append(at, from.content, from.starts(fromAt), from.lengths(fromAt))
  }

  def build(dataType: LakeType.Primitive): Bounds.Texts =
    new Bounds.Texts(dataType, Arrays.copyOf(content, used), starts, lengths, valued)

  private def append(at: Int, source: Array[Byte], from: Int, length: Int): Unit = {
    if (used + length > content.length)
      content = Arrays.copyOf(content, (used + length).max(content.length * 2))
    System.arraycopy(source, from, content, used, length)
    starts(at) = used
    lengths(at) = length
    used += length
  }
}
