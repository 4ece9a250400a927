package ducklake.catalog.pruning

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.predicate.ColumnMetrics
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal

/** A file among which the first rows of an order are searched.
  *
  * @param rows at least so many rows of the file are returned; 0 when that is not known
  * @param recordCount all rows of the file
  * @param statistics of the order's columns, of all rows; None where there are none
  */
final case class OrderedFile(
    rows: Long,
    recordCount: Long,
    statistics: ColumnId => Option[ColumnStatistics],
)

/** Where the first rows of an order are.
  *
  * @param isNeeded for each file, whether it may hold one of them
  * @param bound is true for all of them; None: not known
  */
final case class FirstRows(isNeeded: Vector[Boolean], bound: Option[Predicate])

/** Finds the files that can hold the first rows of an order.
  *
  * Each file promises rows that are not after some place of the order: those that it returns are
  * not after its last value. The promises that come first make up the number of rows, and the last
  * of their places is the threshold. A file whose first value is after it is not needed. When rows
  * of equal keys have no order, a file that begins at the threshold is not needed either, unless it
  * made one of these promises.
  *
  * Source: ours, decision 34.
  */
object FirstRows {

  /** @param count the number of first rows */
  def of(order: RowOrder, count: Long, files: Vector[OrderedFile]): FirstRows = {
    val places = files.map(new PlacesOfFile(order, _))
    val promises = places.zipWithIndex.flatMap { case (known, file) =>
      known.promises.map { case (place, rows) => Promise(file, place, rows) }
    }
    val sorted = promises.sortBy(_.last)(byLast(order))
    val before = sorted.scanLeft(0L)(_ + _.rows)
    val kept = sorted.zip(before).takeWhile(_._2 < count).map(_._1)
    kept.lastOption.map(_.last).filter(_ => before.last >= count) match {
      case None => FirstRows(files.map(_ => true), None)
      case Some(threshold) =>
        val promised = kept.map(_.file).toSet
        val isNeeded = places.zipWithIndex.map { case (known, file) =>
          promised(file) || isBefore(order, known.first, threshold)
        }
        FirstRows(isNeeded, threshold.headOption.flatMap(order.keys.head.upTo))
    }
  }

  /** Values of the order's keys, up to the first key of which nothing is known. */
  private type Place = Vector[Literal]

  /** A file returns so many rows that are not after the place. */
  private final case class Promise(file: Int, last: Place, rows: Long)

  private def compare(order: RowOrder, left: Place, right: Place): Int =
    order.keys.iterator
      .zip(left.iterator.zip(right.iterator))
      .map { case (key, (a, b)) => key.compare(a, b) }
      .find(_ != 0)
      .getOrElse(0)

  /** A place whose further keys are not known may be anywhere up to the last of these. */
  private def byLast(order: RowOrder): Ordering[Place] = (left, right) => {
    val known = compare(order, left, right)
    if (known != 0) known else right.length.compare(left.length)
  }

  /** Whether rows that are not before `first` may be before the threshold. */
  private def isBefore(order: RowOrder, first: Place, threshold: Place): Boolean = {
    val known = compare(order, first, threshold)
    val isTie = order.isWhole && Vector(first, threshold).forall(_.length == order.keys.length)
    known < 0 || known == 0 && !isTie
  }

  /** What the statistics of a file say about the places of its rows. */
  private final class PlacesOfFile(order: RowOrder, file: OrderedFile) {

    private val keys = order.keys.map { key =>
      val statistics = file.statistics(key.column)
      val metrics = StatsPruning.byStatistics(_ => statistics, _ => Some(key.lakeType))(key.column)
      KeyOfFile(
        key,
        Some(metrics).filter(_.isPossible).getOrElse(ColumnMetrics.nothing),
        statistics,
      )
    }

    private def known(place: KeyOfFile => Option[Literal]): Place =
      keys.map(place).takeWhile(_.isDefined).flatten

    /** No row is before it. */
    def first: Place = known(_.first)

    /** Places, in their order, each with the number of rows that are not after it, and not counted
      * at an earlier place.
      */
    def promises: Vector[(Place, Long)] = {
      val all = Vector(nulls, values, Some(known(_.last) -> file.rows)).flatten
      val counts = all.filter(_._1.nonEmpty)
      val counted = counts.scanLeft(0L) { case (most, (_, rows)) => most.max(rows) }
      counts.zip(counted.zip(counted.tail)).collect {
        case ((place, _), (before, rows)) if rows > before => place -> (rows - before)
      }
    }

    /** The rows with NULL in the first key, where it comes first. */
    private def nulls: Option[(Place, Long)] =
      keys.headOption
        .filter(_.key.nullsFirst)
        .flatMap(_.nulls)
        .map(nulls => Vector[Literal](Literal.Null) -> (nulls - hidden))

    /** At most so many rows are not returned. */
    private def hidden: Long = file.recordCount - file.rows

    /** The rows without NULL in any key, where NULL comes last. */
    private def values: Option[(Place, Long)] = {
      val nulls = keys.map(_.nulls)
      Option.when(nulls.forall(_.isDefined) && !keys.exists(_.key.nullsFirst)) {
        known(_.lastValue) -> (file.rows - nulls.flatten.sum)
      }
    }
  }

  private final case class KeyOfFile(
      key: OrderKey,
      metrics: ColumnMetrics,
      statistics: Option[ColumnStatistics],
  ) {
    private val isAscending = key.direction == Direction.Ascending

    private def firstValue: Option[Literal] = if (isAscending) metrics.lower else metrics.upper

    def lastValue: Option[Literal] = if (isAscending) metrics.upper else metrics.lower

    def first: Option[Literal] =
      if (key.nullsFirst && metrics.mayBeNull || !metrics.mayBeValue) Some(Literal.Null)
      else firstValue

    def last: Option[Literal] =
      if (!key.nullsFirst && metrics.mayBeNull || !metrics.mayBeValue) Some(Literal.Null)
      else lastValue

    /** The number of NULLs in all rows of the file; None when it is not known. */
    def nulls: Option[Long] =
      if (metrics.mayBeNull) statistics.flatMap(_.nullCount).filter(_ > 0) else Some(0L)
  }
}
