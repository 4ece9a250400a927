package ducklake.spark.write

import ducklake.spark.layout.WriteKey
import ducklake.spark.session.TableAtSnapshot
import ducklake.catalog.change.Operation
import ducklake.catalog.change.RowScope
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.partition.Transform
import ducklake.catalog.read.FileRequest
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeTraits
import ducklake.files.DeletedPositions
import ducklake.spark.internal.FoundRows
import ducklake.spark.internal.RowSearch
import ducklake.spark.internal.WriteConf
import ducklake.spark.read.PositionsTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate

/** Finds the rows of a table that a write replaces, at the snapshot that the statement sees.
  *
  * @param inliningRowLimit positions of a file that the catalog itself may name as deleted
  */
private[write] final class RowReplacer(
    target: WriteTarget,
    table: LakeTable,
    keys: Vector[WriteKey],
    inliningRowLimit: Long,
) {

  /** Rows for which all of Spark's filters are true. Files of which the catalog knows that all rows
    * match end unread; the others that may hold some are searched, and rows in the catalog with them.
    */
  def matching(predicates: Vector[Predicate]): Option[(Operation, WrittenFiles)] =
    KnownRows.of(target.base, table, predicates) match {
      case Some(KnownRows(whole, _, Some(inlined))) =>
        operation(whole, FoundRows(Map.empty, inlined))
      case Some(KnownRows(whole, isPruned, None)) =>
        operation(whole, RowSearch.matching(positions(unknown(whole, isPruned)), predicates))
      case None => operation(Vector.empty, RowSearch.matching(positions(_ => true), predicates))
    }

  /** Rows of these partitions. Files that lie wholly in one of them end
    * unread; all others that may hold rows of them are searched.
    */
  def partitionsOf(
      partitions: Set[Vector[Option[String]]]
  ): Option[(Operation, WrittenFiles)] = {
    val predicates = PartitionPredicates.of(keys, partitions).toVector
    val listed = target.base.files(table, FileRequest(predicates, Set.empty, None))
    val whole = listed.files.filter(isWithin(_, partitions)).map(_.id)
    val test = PartitionTest(keys, target.session.timeRule, partitions)
    operation(whole, RowSearch.passing(positions(unknown(whole, listed.isPruned)), test))
  }

  /** Rows of these partitions, where what is stored for a file says for good which they are. */
  def scopeOf(partitions: Set[Vector[Option[String]]]): RowScope =
    table.partition match {
      case Some(layout) if keys.forall(key => isLasting(key) && hasOneText(key)) =>
        RowScope.Partitions(layout.id, partitions)
      case _ => RowScope.Every
    }

  /** Whether others write the value of a key as we do. */
  private def hasOneText(key: WriteKey): Boolean =
    key.transform != Transform.Identity || TypeTraits.of(key.column.dataType).hasOneText

  /** Not the files that were listed: a compaction may put others in their place before the search. */
  private def unknown(
      whole: Vector[DataFileId],
      isPruned: DataFileId => Boolean,
  ): DataFile => Boolean = {
    val isDone = whole.toSet
    file => !isDone(file.id) && !isPruned(file.id)
  }

  private def positions(isWanted: DataFile => Boolean): PositionsTable =
    new PositionsTable(
      new TableAtSnapshot(target.session, new ListedSnapshot(target.base, isWanted), table)
    )

  /** Whether all rows of the file are of one of the partitions, by what the catalog says of it. */
  private def isWithin(file: DataFile, partitions: Set[Vector[Option[String]]]): Boolean =
    RowRemoval.mayEnd(file) && keys.forall(isLasting) && file.partition.exists { partition =>
      table.partition.exists(_.id == partition.id) &&
      keys.indices.forall(partition.values.contains) &&
      partitions(keys.indices.map(partition.values).toVector)
    }

  /** Whether a value that was stored for a file still is that of its rows: parts of a `timestamptz` are
    * those of the session that wrote them, hashes and the digits of a float change with the type of a
    * column that was promoted.
    */
  private def isLasting(key: WriteKey): Boolean =
    (key.transform, key.column.dataType) match {
      case (Transform.Bucket(_), _) => false
      case (Transform.Identity, lakeType) => lakeType != LakeType.Float64
      case (_, lakeType) => lakeType != LakeType.TimestampTz
    }

  /** None when no row goes. */
  private def operation(
      whole: Vector[DataFileId],
      found: FoundRows,
  ): Option[(Operation, WrittenFiles)] = {
    val positions = found.positions.map { case (file, each) => file -> DeletedPositions(each) }
    val removed = RemovedRows(positions, found.inlined.sorted)
    Option.unless(whole.isEmpty && removed.isEmpty) {
      val conf = WriteConf.ofSession(SparkSession.active)
      val (delete, files) =
        new RowRemoval(table, target.base, inliningRowLimit, conf).write(removed)
      (delete.copy(endedFiles = whole ++ delete.endedFiles), files)
    }
  }
}
