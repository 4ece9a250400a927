package ducklake.catalog.predicate

import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Bucket
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType

/** Decides from the buckets of files which files can hold matching rows. Other partition values are
  * not used: where the bounds of a file prove them, [[StatsPruning]] leaves out the same files.
  *
  * Source: DuckDB 1.5.5, observed (format 8.4). Two rules differ from DuckDB's. A bucket is used
  * only with the partition spec that it was written for. It is computed also for the types that the
  * column had before a promotion.
  */
object BucketPruning {

  /** Whether some row of the file may match.
    *
    * @param values the proven buckets of the file ([[ProvenValue]]). A key without an entry gives
    *   no information; the entry None means NULL
    * @param typeOf a column's present type
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

  private def metrics(
      keys: Vector[PartitionKey],
      values: FilePartition,
      lakeType: Option[LakeType],
  ): ColumnMetrics =
    lakeType match {
      case Some(known: LakeType.Primitive) =>
        keys
          .flatMap(key => values.values.get(key.index).map(key.transform -> _))
          .map { case (transform, value) => ofKey(transform, value, known) }
          .foldLeft(ColumnMetrics.nothing)(_ and _)
      case _ => ColumnMetrics.nothing
    }

  private def ofKey(
      transform: Transform,
      value: Option[String],
      lakeType: LakeType.Primitive,
  ): ColumnMetrics =
    (transform, value) match {
      case (Transform.Bucket(count), Some(text)) => bucket(text.toIntOption, count, lakeType)
      case (Transform.Bucket(_), None) => ColumnMetrics.onlyNull
      case (Transform.Identity | Transform.Epoch(_) | _: Transform.Calendar, _) =>
        ColumnMetrics.nothing
    }

  private def bucket(number: Option[Int], count: Int, lakeType: LakeType.Primitive): ColumnMetrics =
    ColumnMetrics.onlyValues.copy(admits =
      value =>
        number.forall(expected => Bucket.possible(value, lakeType, count).forall(_(expected)))
    )
}
