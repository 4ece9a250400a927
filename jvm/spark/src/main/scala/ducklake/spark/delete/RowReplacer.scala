package ducklake.spark.delete

import ducklake.catalog.change.Operation
import ducklake.catalog.change.RowScope
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.FileRequest
import ducklake.catalog.read.PartitionValues
import ducklake.spark.layout.WriteKey
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.session.WrittenFiles
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate

/** Finds the rows of a table that a write replaces, at the snapshot that the statement sees.
  *
  * @param inliningRowLimit how many deleted positions of a data file may be inlined in the catalog
  */
final class RowReplacer(
    target: WriteTarget,
    table: LakeTable,
    keys: Vector[WriteKey],
    inliningRowLimit: Long,
) {

  /** The operation that deletes the rows for which all of Spark's filters are true, and its files.
    * Data files are ended without being read when the catalog knows that all their rows match. The
    * other data files that may hold such rows are searched, and the inlined rows with them.
    */
  def matching(predicates: Vector[Predicate]): Option[(Operation, WrittenFiles)] =
    CatalogMatches.of(target.base, table, predicates) match {
      case Some(CatalogMatches(whole, _, Some(inlined))) =>
        operation(whole, FoundRows(Map.empty, inlined))
      case Some(CatalogMatches(whole, isPruned, None)) =>
        operation(whole, RowSearch.matching(positions(unknown(whole, isPruned)), predicates))
      case None => operation(Vector.empty, RowSearch.matching(positions(_ => true), predicates))
    }

  /** The operation that deletes the rows of these partitions, and its files. Data files are ended
    * without being read when the catalog proves that all their rows are in one of the partitions. The other data files that
    * may hold such rows are searched.
    */
  def partitionsOf(
      partitions: Set[Vector[Option[String]]]
  ): Option[(Operation, WrittenFiles)] = {
    val predicates = PartitionPredicates.of(keys, partitions).toVector
    val columns = keys.map(_.column.id).toSet
    val request =
      FileRequest(predicates, columns, None, partitionValues = PartitionValues.LeftOut)
    val listed = target.base.files(table, request)
    val written = new WrittenPartitions(keys, partitions, listed.statistics)
    val whole = listed.files.filter(written.holdAll).map(_.id)
    val others = listed.files.filterNot(written.mayHold).map(_.id)
    val isUnknown = unknown(whole ++ others, listed.isPruned)
    val test = PartitionTest(keys, target.session.timeRule, partitions)
    operation(whole, RowSearch.passing(positions(isUnknown), test))
  }

  /** The scope of these partitions, when the keys allow that the catalog decides for a data file
    * whether it has rows of them. Otherwise every row.
    */
  def scopeOf(partitions: Set[Vector[Option[String]]]): RowScope =
    table.partition match {
      case Some(layout) if WrittenPartitions.areDecided(keys) =>
        RowScope.Partitions(layout.id, partitions)
      case _ => RowScope.Every
    }

  /** Whether a data file must be searched: it is neither decided nor pruned. The test does not name
    * the files that must be searched, because a compaction may replace them before the search.
    */
  private def unknown(
      decided: Vector[DataFileId],
      isPruned: DataFileId => Boolean,
  ): DataFile => Boolean = {
    val isDone = decided.toSet
    file => !isDone(file.id) && !isPruned(file.id)
  }

  private def positions(isWanted: DataFile => Boolean): RowPositionsTable =
    new RowPositionsTable(
      new TableAtSnapshot(target.session, new FilteredSnapshot(target.base, isWanted), table)
    )

  /** None when no row is deleted. */
  private def operation(
      whole: Vector[DataFileId],
      found: FoundRows,
  ): Option[(Operation, WrittenFiles)] = {
    val removed = RemovedRows(found.positions, RemovedRows.rowIds(Vector(found.inlined)))
    Option.unless(whole.isEmpty && removed.isEmpty) {
      val conf = WriteHadoopConf.ofSession(SparkSession.active, target.session.config.hadoop)
      val (delete, files) =
        new RowRemoval(table, target.base, inliningRowLimit, conf).write(removed)
      (delete.copy(endedFiles = whole ++ delete.endedFiles), files)
    }
  }
}
