package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Bucket
import ducklake.catalog.partition.CalendarParts
import ducklake.catalog.partition.CalendarRange
import ducklake.catalog.partition.EpochOrdinal
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.FloatMargin
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.ValueText

/** Decides by partition values which files can hold matching rows.
  *
  * Source: DuckDB 1.5.5, observed (format 8.2 to 8.4). Two rules differ from DuckDB's. A partition
  * value is used only with the partition spec that it was written for. A bucket is computed also
  * for the types that the column had before a promotion.
  */
object PartitionPruning {

  /** Whether some row of the file may match. A key without an entry in `values` gives no
    * information; an entry None stands for NULL. `typeOf` gives a column's current type.
    */
  def mayMatch(
      predicate: Predicate,
      spec: PartitionSpec,
      values: FilePartition,
      typeOf: ColumnId => Option[LakeType],
  ): Boolean =
    values.id != spec.id || {
      val keys = spec.keys.groupBy(_.column)
      InclusiveMetricsEvaluator.mayBeTrue(
        predicate,
        column => metrics(keys.getOrElse(column, Vector.empty), values, typeOf(column)),
      )
    }

  /** Metrics of a column from its identity keys alone. The value of an identity key is the value of
    * all rows of the file.
    */
  private[predicate] def byIdentity(
      spec: PartitionSpec,
      values: FilePartition,
      typeOf: ColumnId => Option[LakeType],
  )(column: ColumnId): ColumnMetrics = {
    val keys = spec.keys.filter(key => key.column == column && key.transform == Transform.Identity)
    if (values.id == spec.id) metrics(keys, values, typeOf(column)) else ColumnMetrics.nothing
  }

  private def metrics(
      keys: Vector[PartitionKey],
      values: FilePartition,
      lakeType: Option[LakeType],
  ): ColumnMetrics =
    lakeType match {
      case Some(known: LakeType.Primitive) =>
        val written = for {
          key <- keys
          value <- values.values.get(key.index)
        } yield key.transform -> value
        val single = written.map { case (transform, value) => ofKey(transform, value, known) }
        single.foldLeft(ofCalendar(written, known))(_ and _)
      case _ => ColumnMetrics.nothing
    }

  private def ofKey(
      transform: Transform,
      value: Option[String],
      lakeType: LakeType.Primitive,
  ): ColumnMetrics =
    (transform, value) match {
      case (Transform.Identity, Some(text)) => identity(text, lakeType)
      case (Transform.Epoch(unit), Some(text)) => ofEpoch(unit, text.toLongOption, lakeType)
      case (Transform.Bucket(count), Some(text)) => bucket(text.toIntOption, count, lakeType)
      case (Transform.Identity | Transform.Bucket(_), None) => ColumnMetrics.onlyNull
      case (_, Some(_)) => ColumnMetrics.onlyValues
      case (_, None) => ColumnMetrics.nothing
    }

  /** The range of an ordinal. Infinite values have no ordinal, so they are in another file. */
  private def ofEpoch(
      unit: Transform.Calendar,
      ordinal: Option[Long],
      lakeType: LakeType.Primitive,
  ): ColumnMetrics = {
    val range = ordinal.flatMap(EpochOrdinal.range(unit, _, lakeType))
    ColumnMetrics.onlyValues.copy(lower = range.map(_._1), upper = range.map(_._2))
  }

  private def identity(text: String, lakeType: LakeType.Primitive): ColumnMetrics = {
    val value = ValueText.parseStatistic(text, lakeType).filter(_ => hasOrder(lakeType))
    ColumnMetrics.onlyValues.copy(
      lower = value.map(FloatMargin.below(_, lakeType)),
      upper = value.map(FloatMargin.above(_, lakeType)),
    )
  }

  /** FLOAT is included although different values may share a text: they lie close together, and
    * FloatMargin covers the difference. The two zeros compare as equal.
    */
  private def hasOrder(lakeType: LakeType.Primitive): Boolean =
    (TypeTraits.of(lakeType).hasOneText || lakeType == LakeType.Float32) &&
      LiteralOrder.of(lakeType).nonEmpty

  private def bucket(number: Option[Int], count: Int, lakeType: LakeType.Primitive): ColumnMetrics =
    ColumnMetrics.onlyValues.copy(admits =
      value =>
        number.forall(expected => Bucket.possible(value, lakeType, count).forall(_(expected)))
    )

  /** Calendar parts of an instant depend on the time zone of the session that wrote the file,
    * so they are not used. A missing part stands for NULL or an infinite value, which have no
    * calendar parts.
    */
  private def ofCalendar(
      written: Vector[(Transform, Option[String])],
      lakeType: LakeType.Primitive,
  ): ColumnMetrics =
    if (ValueText.hasZone(lakeType)) ColumnMetrics.nothing
    else {
      val parts = written
        .collect { case (part: Transform.Calendar, Some(text)) =>
          part -> text.toIntOption
        }
        .collect { case (transform, Some(part)) => transform -> part }
      val range = CalendarRange.of(parts.toMap, lakeType)
      ColumnMetrics.nothing.copy(
        lower = range.map(_._1),
        upper = range.map(_._2),
        admits = value =>
          parts.forall { case (transform, part) =>
            CalendarParts.of(transform, value, lakeType).forall(_ == part)
          },
      )
    }
}
