package ducklake.catalog.pruning

import ducklake.catalog.cache.FileIndex
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.predicate.BucketPruning
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.predicate.StrictMetricsEvaluator
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType

/** Finds the files of an index that may hold matching rows. A quick test on the packed bounds runs
  * first. It drops only files that [[StatsPruning]] would drop too, so the exact test has to run
  * only for the remaining files.
  */
object IndexPruning {

  /** Positions in the index of files that may hold matching rows, increasing.
    *
    * @param specs all partition specs that the table has had
    * @param typeOf the columns' types at the snapshot that is read
    */
  def matching(
      index: FileIndex,
      predicates: Vector[Predicate],
      specs: Vector[PartitionSpec],
      typeOf: ColumnId => Option[LakeType],
  ): Array[Int] = {
    val quick = predicates.flatMap(conjuncts).flatMap(RangeTest.of(_, index.columns)).toArray
    val buckets = bucketTest(index, predicates, specs, typeOf)
    val left = Array.newBuilder[Int]
    // a loop over plain arrays: a table may have a million files
    var at = 0
    while (at < index.size) {
      if (passes(quick, at) && buckets(at) && mayMatch(index, predicates, typeOf, at)) left += at
      at += 1
    }
    left.result()
  }

  /** Whether all rows of the file at a position match for certain.
    *
    * @param typeOf current types of the columns whose statistics may be used
    */
  def isFullMatch(
      index: FileIndex,
      predicates: Vector[Predicate],
      typeOf: ColumnId => Option[LakeType],
  )(at: Int): Boolean =
    predicates.forall(StrictMetricsEvaluator.allRowsMatch(_, statistics(index, at), typeOf))

  private def passes(tests: Array[RangeTest], at: Int): Boolean = {
    var i = 0
    while (i < tests.length && tests(i).mayMatch(at)) i += 1
    i == tests.length
  }

  private def mayMatch(
      index: FileIndex,
      predicates: Vector[Predicate],
      typeOf: ColumnId => Option[LakeType],
      at: Int,
  ): Boolean =
    predicates.forall(StatsPruning.mayMatch(_, statistics(index, at), typeOf))

  private def statistics(index: FileIndex, at: Int)(column: ColumnId): Option[ColumnStatistics] =
    index.columns.get(column).flatMap(_.statistics(at))

  private def conjuncts(predicate: Predicate): Vector[Predicate] = predicate match {
    case Predicate.And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Vector(other)
  }

  /** The test is evaluated once for all files that share their buckets. */
  private def bucketTest(
      index: FileIndex,
      predicates: Vector[Predicate],
      specs: Vector[PartitionSpec],
      typeOf: ColumnId => Option[LakeType],
  ): Int => Boolean = index.buckets match {
    case None => _ => true
    case Some(known) =>
      val allowed = known.values.map { values =>
        specs.filter(_.id == values.id).forall { spec =>
          predicates.forall(BucketPruning.mayMatch(_, spec, values, typeOf))
        }
      }.toArray
      at => known.codes(at) < 0 || allowed(known.codes(at))
  }
}
