package ducklake.spark.delete

import ducklake.catalog.partition.CalendarRange
import ducklake.catalog.partition.EpochOrdinal
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.text.ValueText
import ducklake.spark.partitioning.WriteKey

import scala.math.Ordering.Implicits.seqOrdering

/** Makes a predicate that is true for every row of some partitions, to leave out data files by
  * their statistics. The predicate is evaluated for each file, so its size is limited: for many
  * partitions it consists of a few ranges that contain them. [[WrittenPartitions]] selects among
  * the files of the present layout.
  */
private[delete] object PartitionPredicates {

  /** None when no predicate expresses these partitions. */
  def of(keys: Vector[WriteKey], partitions: Set[Vector[Option[String]]]): Option[Predicate] = {
    val size = math.max(1, (partitions.size + maxRanges - 1) / maxRanges)
    val each = partitions.toVector.sorted.grouped(size).map(ofPartitions(keys, _)).toVector
    if (each.exists(_.isEmpty)) None else each.flatten.reduceOption(Predicate.Or(_, _))
  }

  private val maxRanges = 8

  /** A predicate that is true for every row of each of these partitions. */
  private def ofPartitions(
      keys: Vector[WriteKey],
      partitions: Vector[Vector[Option[String]]],
  ): Option[Predicate] = {
    val byKey = keys.zipWithIndex.map { case (key, index) => key -> partitions.map(_(index)) }
    val identities = byKey.collect {
      case (key, texts) if key.transform == Transform.Identity => identity(key, texts)
    }
    val ranges = byKey.groupBy(_._1.column.id).values.toVector.map(calendar)
    val epochs = byKey.collect { case (WriteKey(_, column, Transform.Epoch(unit), _), texts) =>
      epoch(unit, column, texts)
    }
    (identities ++ epochs ++ ranges).flatten.reduceOption(Predicate.And(_, _))
  }

  private def identity(key: WriteKey, texts: Vector[Option[String]]): Option[Predicate] = {
    val isNull = Option.when(texts.contains(None))(Predicate.IsNull(key.column.id))
    val known = texts.flatten.distinct
    if (known.isEmpty) isNull
    else within(key, known).map(range => isNull.fold(range)(Predicate.Or(range, _)))
  }

  private def within(key: WriteKey, texts: Vector[String]): Option[Predicate] =
    key.column.dataType match {
      case lakeType: LakeType.Primitive if TypeTraits.of(lakeType).hasOneText =>
        val values = texts.flatMap(ValueText.parseCast(_, lakeType))
        LiteralOrder.of(lakeType).filter(_ => values.size == texts.size).map { order =>
          between(key.column, values.min(order), values.max(order))
        }
      case _ => None
    }

  private def between(of: Column, first: Literal, last: Literal): Predicate = {
    val column = of.id
    if (first == last) Predicate.Compare(column, Comparison.Equal, first)
    else
      Predicate.And(
        Predicate.Compare(column, Comparison.GreaterOrEqual, first),
        Predicate.Compare(column, Comparison.LessOrEqual, last),
      )
  }

  /** A range from the calendar parts of one column. None when parts are missing: NULL and infinity
    * have no parts.
    *
    * @param byKey the keys of the column, each with the text of every partition
    */
  private def calendar(byKey: Vector[(WriteKey, Vector[Option[String]])]): Option[Predicate] = {
    val key = byKey.head._1
    val ranges = byKey.map(_._2).transpose.map { texts =>
      val parts = for {
        (key, text) <- byKey.map(_._1).zip(texts)
        part <- calendarPart(key.transform)
        number <- text.flatMap(_.toIntOption)
      } yield part -> number
      CalendarRange.of(parts.toMap, key.column.dataType)
    }
    for {
      order <- orderOf(key.column.dataType)
      known = ranges.flatten
      if known.nonEmpty && known.size == ranges.size
    } yield between(key.column, known.map(_._1).min(order), known.map(_._2).max(order))
  }

  private def calendarPart(transform: Transform): Option[Transform.Calendar] =
    transform match {
      case part: Transform.Calendar => Some(part)
      case Transform.Identity | Transform.Epoch(_) | Transform.Bucket(_) => None
    }

  /** A range from the ordinals of one key. None when an ordinal is missing: NULL and infinity have
    * no ordinal.
    */
  private def epoch(
      unit: Transform.Calendar,
      column: Column,
      texts: Vector[Option[String]],
  ): Option[Predicate] = {
    val ordinals = texts.flatMap(_.flatMap(_.toLongOption))
    Some(column.dataType).collect {
      case lakeType: LakeType.Primitive if ordinals.nonEmpty && ordinals.size == texts.size =>
        for {
          (first, _) <- EpochOrdinal.range(unit, ordinals.min, lakeType)
          (_, last) <- EpochOrdinal.range(unit, ordinals.max, lakeType)
        } yield between(column, first, last)
    }.flatten
  }

  private def orderOf(lakeType: LakeType): Option[Ordering[Literal]] =
    lakeType match {
      case primitive: LakeType.Primitive => LiteralOrder.of(primitive)
      case _: LakeType.Nested => None
    }
}
