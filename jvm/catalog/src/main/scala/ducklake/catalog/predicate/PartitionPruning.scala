package ducklake.catalog.predicate

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Bucket
import ducklake.catalog.partition.CalendarParts
import ducklake.catalog.partition.CalendarRange
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.FloatMargin
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.ValueText

/** Which files can hold matching rows, by their partition values.
  *
  * Source: DuckDB 1.5.5, observed (format 8.2 to 8.4). Unlike DuckDB, values count only under the spec
  * they were written for, and a bucket also under the types the column had before.
  */
object PartitionPruning {

  /** Whether some row of the file may match. A key without a value in `values` says nothing; one with
    * None stands for NULL. `typeOf` gives a column's current type.
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

  /** What the identity keys alone say of a column: their values are those of all rows. */
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
      case (Transform.Bucket(count), Some(text)) => bucket(text.toIntOption, count, lakeType)
      case (Transform.Identity | Transform.Bucket(_), None) => ColumnMetrics.onlyNull
      case (_, Some(_)) => ColumnMetrics.onlyValues
      case (_, None) => ColumnMetrics.nothing
    }

  private def identity(text: String, lakeType: LakeType.Primitive): ColumnMetrics = {
    val value = ValueText.parseStatistic(text, lakeType).filter(_ => hasOrder(lakeType))
    ColumnMetrics.onlyValues.copy(
      lower = value.map(FloatMargin.below(_, lakeType)),
      upper = value.map(FloatMargin.above(_, lakeType)),
    )
  }

  /** Single precision too: rows of one text lie close together, and zeros are taken for one. */
  private def hasOrder(lakeType: LakeType.Primitive): Boolean =
    (TypeTraits.of(lakeType).hasOneText || lakeType == LakeType.Float32) &&
      LiteralOrder.of(lakeType).nonEmpty

  private def bucket(number: Option[Int], count: Int, lakeType: LakeType.Primitive): ColumnMetrics =
    ColumnMetrics.onlyValues.copy(admits =
      value =>
        number.forall(expected => Bucket.possible(value, lakeType, count).forall(_(expected)))
    )

  /** Parts of a `timestamptz` depend on the session that wrote them and say nothing. A missing part is
    * that of NULL or of an infinite value, which have none.
    */
  private def ofCalendar(
      written: Vector[(Transform, Option[String])],
      lakeType: LakeType.Primitive,
  ): ColumnMetrics =
    if (lakeType == LakeType.TimestampTz) ColumnMetrics.nothing
    else {
      val parts = written
        .collect {
          case (transform, Some(text)) if isCalendar(transform) => transform -> text.toIntOption
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

  private def isCalendar(transform: Transform): Boolean =
    transform match {
      case Transform.Year | Transform.Month | Transform.Day | Transform.Hour => true
      case Transform.Identity | Transform.Bucket(_) => false
    }
}
