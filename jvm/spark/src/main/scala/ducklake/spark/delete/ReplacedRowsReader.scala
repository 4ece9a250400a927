package ducklake.spark.delete

import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.DataFileId
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.session.WrittenFiles
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate

/** Finds the rows of a table that a write replaces, at the snapshot that the statement sees.
  *
  * @param inliningRowLimit how many deleted positions of a data file may be inlined in the catalog
  */
final class ReplacedRowsReader(
    target: WriteTarget,
    table: LakeTable,
    keys: Vector[WriteKey],
    inliningRowLimit: Long,
) {

  /** The rows for which all of Spark's filters are true. Data files are ended without being read
    * when the catalog knows that all their rows match. The other data files that may hold matching
    * rows are searched, together with the inlined rows.
    */
  def matching(predicates: Vector[Predicate]): RowsToDelete =
    CatalogMatches.of(target.base, table, predicates) match {
      case Some(CatalogMatches(whole, _, Some(inlined))) =>
        removed(whole, FoundRows(Map.empty, inlined))
      case Some(CatalogMatches(whole, isPruned, None)) =>
        removed(whole, MatchingRowsJob.matching(positions(unknown(whole, isPruned)), predicates))
      case None => removed(Vector.empty, MatchingRowsJob.matching(positions(_ => true), predicates))
    }

  /** The rows of these partitions. The catalog cannot tell where rows of CHAR keys are: it has the
    * texts without the spaces that Spark compares.
    */
  def partitionsOf(partitions: Set[Vector[Option[String]]]): RowsToDelete = {
    val test = PartitionTest(keys, target.session.timeRule, partitions)
    if (arePadded) removed(Vector.empty, MatchingRowsJob.passing(positions(_ => true), test))
    else partitionsOf(partitions, test)
  }

  /** Data files are ended without being read when the catalog proves that all their rows are in one
    * of the partitions. The other data files that may hold these rows are searched.
    */
  private def partitionsOf(
      partitions: Set[Vector[Option[String]]],
      test: PartitionTest,
  ): RowsToDelete = {
    val predicates = PartitionPredicates.of(keys, partitions).toVector
    val columns = keys.map(_.column.id).toSet
    val request =
      FileRequest(predicates, columns, None, partitionValues = PartitionValues.LeftOut)
    val listed = target.base.files(table, request)
    val written = new WrittenPartitions(keys, partitions, listed.statistics)
    val whole = listed.files.filter(written.holdAll)
    val others = listed.files.filterNot(written.mayHold)
    val isUnknown = unknown(whole ++ others, listed.isPruned)
    removed(whole, MatchingRowsJob.passing(positions(isUnknown), test))
  }

  /** The scope of these partitions, when the keys allow the catalog to decide for a data file
    * whether it has rows of them. Otherwise every row.
    */
  def scopeOf(partitions: Set[Vector[Option[String]]]): RowScope =
    table.partition match {
      case Some(layout) if !arePadded && WrittenPartitions.areDecided(keys) =>
        RowScope.Partitions(layout.id, partitions)
      case _ => RowScope.Every
    }

  private def arePadded: Boolean = {
    val lengths = TextLengths.of(table.tags)
    keys.exists(key => lengths.arePadded(key.column))
  }

  /** Whether a data file must be searched: it is neither decided nor pruned. The test does not name
    * the files that must be searched, because a compaction may replace them before the search.
    */
  private def unknown(
      decided: Vector[DataFile],
      isPruned: DataFileId => Boolean,
  ): DataFile => Boolean = {
    val isDone = decided.map(_.id).toSet
    file => !isDone(file.id) && !isPruned(file.id)
  }

  private def positions(isWanted: DataFile => Boolean): RowPositionsTable =
    new RowPositionsTable(
      new TableAtSnapshot(
        target.session,
        target.base.seenThrough(new ChosenFiles(isWanted)),
        table,
      )
    )

  private def removed(whole: Vector[DataFile], found: FoundRows): RowsToDelete =
    RowsToDelete(found.positions, RowsToDelete.rowIds(Vector(found.inlined)), whole)

  /** The plan of a write that deletes the rows.
    *
    * @param read the rows that the write has read, if new rows of others are a conflict
    * @param noted is called with the new delete files before a later step can fail
    */
  def plan(
      removed: RowsToDelete,
      read: Option[ReadRows],
      noted: WrittenFiles => Unit,
  ): RowPlan = {
    val conf = WriteHadoopConf.ofSession(SparkSession.active, target.session.config.hadoop)
    val removal = new DeleteOperationBuilder(table, target.base, inliningRowLimit, conf)
    val deletes = Option.unless(removed.isEmpty)((removal, removed))
    new RowPlan(target.session, target.base, deletes, read, noted)
  }

  /** The rows for which all of Spark's filters are true, as the rows that a write has read. */
  def read(predicates: Vector[Predicate]): ReadRows = {
    val translator = new SparkPredicates(table.columns)
    new ReadRows(
      table,
      target.base,
      Vector(CatalogMatches.onStored(table, predicates).flatMap(translator.translate(_))),
      mindsDeletes = false,
    )
  }
}
