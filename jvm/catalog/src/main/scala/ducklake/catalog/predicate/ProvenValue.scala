package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Bucket
import ducklake.catalog.partition.CalendarParts
import ducklake.catalog.partition.EpochOrdinal
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.bound.ExactBounds
import ducklake.catalog.types.text.ValueText

/** The value of a partition key that all rows of a file have, as far as the catalog proves it. A
  * stored partition value is no proof: lakes that came from Iceberg have ordinals where parts of a
  * date belong, DuckDB registers files below any folder, and other writers spell values in their
  * own way. The bounds of the key's column are the proof, because every reader prunes files by
  * them.
  *
  * Source: ours, decision 22.
  */
object ProvenValue {

  /** The text of the value, as stored for files with that value; None inside means NULL. None when
    * the value is not proven.
    *
    * @param known the statistics of the key's column, in the column's present type
    * @param stored the stored partition value of the file, None inside for NULL. It counts only for
    *   a bucket, and must agree with both bounds, because bounds alone do not give a bucket
    */
  def of(
      transform: Transform,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
      stored: Option[Option[String]],
  ): Option[Option[String]] =
    transform match {
      case Transform.Bucket(count) => stored.flatMap(bucket(count, lakeType, known, _))
      case _ if isWithoutValues(known) || TypeTraits.haveExactBounds(lakeType) =>
        byStatistics(transform, lakeType, known)
      case _ => None
    }

  /** The texts of all keys; None when one of them is not proven.
    *
    * @param statistics of the file, by column
    * @param stored the partition values that the catalog has for the file, by the index of the key
    */
  def ofKeys(
      keys: Vector[PartitionKey],
      typeOf: ColumnId => Option[LakeType.Primitive],
      statistics: ColumnId => Option[ColumnStatistics],
      stored: Map[Int, Option[String]],
  ): Option[Vector[Option[String]]] = {
    val texts = keys.map { key =>
      for {
        lakeType <- typeOf(key.column)
        known <- statistics(key.column)
        text <- of(key.transform, lakeType, known, stored.get(key.index))
      } yield text
    }
    Option.when(texts.forall(_.nonEmpty))(texts.flatten)
  }

  /** Like [[of]], by the statistics alone, which describe the values as they are read. */
  def byStatistics(
      transform: Transform,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
  ): Option[Option[String]] =
    if (isWithoutValues(known)) Some(None)
    else
      for {
        _ <- known.nullCount.filter(_ == 0)
        min <- known.min if TypeTraits.of(lakeType).hasUsableBounds && !mayHideNan(lakeType, known)
        max <- known.max if isOneValue(transform, lakeType, min, max)
        value <- valueOf(transform, lakeType, min)
      } yield value

  /** Whether all values between the bounds have the same partition value. */
  def isOneValue(
      transform: Transform,
      lakeType: LakeType.Primitive,
      min: Literal,
      max: Literal,
  ): Boolean =
    LiteralOrder.compare(min, max).contains(0) || (transform match {
      case Transform.Epoch(unit) =>
        val first = EpochOrdinal.of(unit, min, lakeType)
        first.nonEmpty && first == EpochOrdinal.of(unit, max, lakeType)
      case unit: Transform.Calendar => isOnePeriod(unit, lakeType, min, max)
      case Transform.Identity | Transform.Bucket(_) => false
    })

  /** Whether the statistics show a row with a value other than the stored value, or the stored text
    * is not a value of the key. A value that is neither proven nor contradicted may be right: a
    * month alone, or the parts of a `timestamptz`, which depend on the writer's time zone.
    */
  def isContradicted(
      transform: Transform,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
      stored: Option[String],
  ): Boolean = {
    val bounds = Vector(
      ExactBounds.min(known.min, lakeType),
      ExactBounds.max(known.max, known.containsNan, lakeType),
    ).flatten
    stored match {
      case None => bounds.exists(valueOf(transform, lakeType, _).exists(_.nonEmpty))
      case Some(_) if isWithoutValues(known) => true
      case Some(text) =>
        transform match {
          case Transform.Identity => isOutside(text, lakeType, known)
          case Transform.Bucket(count) =>
            numberOf(text, count).forall(number =>
              bounds.exists(mayBeIn(_, lakeType, count, number).contains(false))
            )
          case other => bounds.exists(!values(other, lakeType, _).contains(text))
        }
    }
  }

  /** The value to show for a file: the proven value, else the stored value when nothing contradicts
    * it. None when the stored value is wrong and no other value is proven.
    *
    * @param known None: the catalog has no statistics of the key's column
    */
  def credible(
      transform: Transform,
      lakeType: LakeType.Primitive,
      known: Option[ColumnStatistics],
      stored: Option[String],
  ): Option[Option[String]] =
    known match {
      case None => Some(stored)
      case Some(statistics) =>
        of(transform, lakeType, statistics, Some(stored)).orElse(
          Option.unless(isContradicted(transform, lakeType, statistics, stored))(stored)
        )
    }

  private def isWithoutValues(known: ColumnStatistics): Boolean = known.valueCount.contains(0L)

  /** The partition value of a value; None when the transform does not accept the type. */
  private def valueOf(
      transform: Transform,
      lakeType: LakeType.Primitive,
      literal: Literal,
  ): Option[Option[String]] =
    TransformValue.text(transform, literal, lakeType).toOption

  private def mayHideNan(lakeType: LakeType.Primitive, known: ColumnStatistics): Boolean =
    lakeType match {
      case LakeType.Float32 | LakeType.Float64 =>
        !known.containsNan.contains(false) || known.min.contains(Literal.Floating(0.0))
      case _ => false
    }

  private def isOnePeriod(
      unit: Transform.Calendar,
      lakeType: LakeType.Primitive,
      min: Literal,
      max: Literal,
  ): Boolean = {
    val parts = period(unit)
    val first = parts.map(CalendarParts.of(_, min, lakeType))
    first.last.nonEmpty && !isBeforeChrist(min, lakeType) &&
    first == parts.map(CalendarParts.of(_, max, lakeType))
  }

  /** The calendar parts that together name a period without gaps. */
  private def period(unit: Transform.Calendar): Vector[Transform.Calendar] =
    Transform.units.take(Transform.units.indexOf(unit) + 1)

  /** Years of `timestamptz` are counted in each era, so one number may stand for two years. */
  private def isBeforeChrist(literal: Literal, lakeType: LakeType.Primitive): Boolean =
    literal match {
      case Literal.Timestamp(micros) => lakeType == LakeType.TimestampTz && micros < yearOne
      case _ => false
    }

  /** The first microsecond of the year 1. */
  private val yearOne = -62135596800L * 1000000L

  private def bucket(
      count: Int,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
      stored: Option[String],
  ): Option[Option[String]] =
    stored match {
      case None => Option.when(isWithoutValues(known))(None)
      case Some(text) =>
        def agrees(bound: Option[Literal], number: Int): Boolean =
          bound.flatMap(mayBeIn(_, lakeType, count, number)).contains(true)
        numberOf(text, count)
          .filter(_ => known.nullCount.contains(0L))
          .filter(number => agrees(known.min, number) && agrees(known.max, number))
          .map(number => Some(number.toString))
    }

  private def numberOf(text: String, count: Int): Option[Int] =
    text.toIntOption.filter(number => number >= 0 && number < count)

  /** Whether the value may be in the bucket, under any type that its column may have had. None when
    * the buckets of the value are not known.
    */
  private def mayBeIn(
      value: Literal,
      lakeType: LakeType.Primitive,
      count: Int,
      number: Int,
  ): Option[Boolean] =
    if (Bucket.of(value, lakeType, count).contains(number)) Some(true)
    else Bucket.possible(value, lakeType, count).map(_(number))

  private def isOutside(
      text: String,
      lakeType: LakeType.Primitive,
      known: ColumnStatistics,
  ): Boolean =
    ValueText.parseStatistic(text, lakeType).forall { value =>
      def isOrdered(bound: Literal, sign: Int): Boolean =
        LiteralOrder.compare(value, bound).exists(order => Integer.signum(order) == sign)
      val isExact = TypeTraits.haveExactBounds(lakeType) && TypeTraits.of(lakeType).hasOneText
      isExact && (known.min.exists(isOrdered(_, -1)) || known.max.exists(isOrdered(_, 1)))
    }

  /** The partition values that writers in any time zone give the value. */
  private def values(
      transform: Transform,
      lakeType: LakeType.Primitive,
      value: Literal,
  ): Vector[String] = {
    val shifted = (transform, value) match {
      case (_: Transform.Calendar, Literal.Timestamp(ticks)) if ValueText.hasZone(lakeType) =>
        zoneHours.map(hours => Literal.Timestamp(ticks + hours * hourOf(lakeType)))
      case _ => Vector(value)
    }
    shifted.flatMap(valueOf(transform, lakeType, _).flatten)
  }

  /** The offsets of time zones, in hours. */
  private val zoneHours = (-15L to 15L).toVector

  private def hourOf(lakeType: LakeType.Primitive): Long =
    3600L * ValueText.ticksPerSecond(lakeType)
}
