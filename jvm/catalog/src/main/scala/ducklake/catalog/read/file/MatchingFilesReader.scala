package ducklake.catalog.read.file

import ducklake.catalog.cache.BucketIndex
import ducklake.catalog.cache.FileCount
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.FileIndexes
import ducklake.catalog.cache.TableFiles
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.PredicateColumns
import ducklake.catalog.pruning.IndexPruning
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.read.schema.PartitionSpecReader
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.FileFilter
import ducklake.catalog.sql.query.FileSql
import ducklake.catalog.sql.query.IndexSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId

/** Finds the files in which rows may match: by the index of all files of the table, or, where memory
  * does not hold that, by an index of the files that the database chooses.
  */
private[file] final class MatchingFilesReader(
    dialect: Dialect,
    cache: FileIndexes,
    indexes: FileIndexReader,
    memory: PlanMemory,
) {
  private val known = new TableFiles

  /** Removes what is known of tables. */
  def forget(): Unit = known.clear()

  /** Errors: TooManyFiles. */
  def matching(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
      request: FileRequest,
  ): MatchingFiles = {
    val columns = request.predicates.flatMap(PredicateColumns.of).toSet
    val specs = PartitionSpecReader.read(session, new IndexSql(dialect, head.version), head, table)
    val isBucketed = BucketIndex.columns(specs).exists(columns)
    val bucketed = if (isBucketed) specs else Vector.empty
    val isIndexed =
      holdsIndex(session, head, table, newest, columns ++ BucketIndex.columns(bucketed))
    val (index, all) =
      if (isIndexed) {
        val whole = indexes.index(session, head, table, newest, columns, bucketed)
        (whole, FileCount(whole.size.toLong, whole.totalBytes))
      } else {
        val reader = new CandidateReader(session, dialect, head, table, newest, memory, known)
        val needed = columns ++ request.bounds
        val chosen = request.among match {
          case Some(ids) => reader.among(ids.map(_.value), needed)
          case None if request.predicates.contains(Predicate.False) =>
            reader.among(Vector.empty, needed)
          case None => reader.matching(request.predicates, needed)
        }
        (chosen, count(session, head, table, newest))
      }
    val leaves = LeafColumns.of(table.columns)
    val left = IndexPruning.matching(index, request.predicates, specs, leaves.get)
    if (request.slice.isEmpty && left.length > memory.mostFiles)
      memory.refuse(table, left.length.toLong)
    val types = table.columns.map(column => column.id -> column.dataType).toMap
    val isFullMatch = IndexPruning.isFullMatch(index, request.predicates, types.get)(_)
    MatchingFiles(index, left.map(index.ids(_)), isFullMatch, all, isIndexed)
  }

  /** Refuses a listing of all files of a table that has too many. Errors: TooManyFiles. */
  def checkAll(session: Session, head: CatalogHead, table: LakeTable, newest: Snapshot): Unit =
    if (newest.nextFileId > memory.mostFiles) {
      val files = count(session, head, table, newest).files
      if (files > memory.mostFiles) memory.refuse(table, files)
    }

  /** Whether memory holds an index of all files of the table. A table has no more files than the lake
    * has ids of files, so that the files of most tables need not be counted.
    */
  def holdsIndex(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
      columns: Set[ColumnId],
  ): Boolean = {
    val types = LeafColumns.of(table.columns)
    val wanted = columns.toVector.flatMap(types.get)
    def nearest = cache
      .nearest(head.identity, table.id, head.snapshot.id)
      .map(index => index.size + (newest.nextFileId - index.at.nextFileId).max(0L))
    memory.holdsIndex(newest.nextFileId, wanted) ||
    nearest.exists(memory.holdsIndex(_, wanted)) ||
    memory.holdsIndex(count(session, head, table, newest).files, wanted)
  }

  private def count(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
  ): FileCount =
    known.count(head.identity, table.id, head.snapshot, newest) {
      session
        .query(new FileSql(dialect, head.version).count(table.id, head.snapshot.id)) { row =>
          FileCount(row.long(1), row.longOr(2, 0L))
        }
        .head
    }
}

/** The files of an index that may hold matching rows.
  *
  * @param ids increasing
  * @param isFullMatchAt whether all rows match, for the file at a position of the index
  * @param all files of the table
  * @param isWhole whether the index has all files of the table
  */
private[file] final case class MatchingFiles(
    index: FileIndex,
    ids: Array[Long],
    isFullMatchAt: Int => Boolean,
    all: FileCount,
    isWhole: Boolean,
) {
  def isFound(id: Long): Boolean = java.util.Arrays.binarySearch(ids, id) >= 0

  /** Selects the files by id when they are few, else all files of the table. */
  def choices: Vector[FileFilter] =
    if (!isWhole) FileChoices.chosen(ids.toVector)
    else {
      val areMost = FileChoices.areMany(ids.length) && ids.length > index.size / 10
      if (areMost || ids.length == index.size) Vector(FileFilter.All)
      else FileChoices.byIds(ids.toVector)
    }

  /** Whether a file of the index was pruned. The function holds the ids only, so that the rest of
    * the index can be freed.
    */
  def isPruned: DataFileId => Boolean = {
    val (all, found) = (index.ids, ids)
    def isIn(some: Array[Long], id: Long) = java.util.Arrays.binarySearch(some, id) >= 0
    file => !isIn(found, file.value) && isIn(all, file.value)
  }

  /** Whether all rows of the file match for certain. */
  def isFullMatch(file: DataFile): Boolean = {
    val at = index.position(file.id.value, -1)
    file.provesRows && at >= 0 && isFullMatchAt(at)
  }
}
