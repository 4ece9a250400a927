package ducklake.catalog.read.file

import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.FileIndexBuilder
import ducklake.catalog.cache.StatisticsGaps
import ducklake.catalog.cache.TableFiles
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.CandidateSql
import ducklake.catalog.sql.query.FileSet
import ducklake.catalog.sql.query.IndexSql
import ducklake.catalog.sql.query.StatisticsFilter
import ducklake.catalog.types.ColumnId

/** Reads an index of those files of a table that the database finds by their statistics, for tables
  * that have too many files for an index of all.
  *
  * Source: ours, decision 37.
  *
  * @param newest the newest snapshot that the session sees
  */
private[file] final class CandidateReader(
    session: Session,
    dialect: Dialect,
    head: CatalogHead,
    table: LakeTable,
    newest: Snapshot,
    memory: PlanMemory,
    known: TableFiles,
) {
  private val sql = new CandidateSql(dialect, head.version)
  private val index = new IndexSql(dialect, head.version)
  private val types = LeafColumns.of(table.columns)

  /** An index of all files in which a row may match, and of others. Errors: TooManyFiles.
    *
    * @param columns leaf columns whose statistics the index must have
    */
  def matching(predicates: Vector[Predicate], columns: Set[ColumnId]): FileIndex = {
    val gaps = columnsOf(setsBy(predicates, _ => true)).map(id => id -> gapsOf(id)).toMap
    val sets = setsBy(predicates, id => !gaps.get(id).exists(_.files.isEmpty))
    val used = columnsOf(sets).flatMap(gaps(_).files).flatten.distinct
    val builder = new FileIndexBuilder
    session.foreach(sql.files(table.id, head.snapshot.id, sets, memory.mostFiles + 1)) { row =>
      builder.add(row.long(1), row.long(2), row.longOr(3, -1))
    }
    val found = builder.build(head.snapshot, newest)
    val whole = withFiles(found, used.filter(found.position(_, -1) < 0))
    if (whole.size > memory.mostFiles) memory.refuseMore(table)
    withColumns(whole, columns)
  }

  /** An index of those of these files that are visible. */
  def among(ids: Vector[Long], columns: Set[ColumnId]): FileIndex = {
    val nothing = new FileIndexBuilder().build(head.snapshot, newest)
    withColumns(withFiles(nothing, ids.sorted), columns)
  }

  private def setsBy(predicates: Vector[Predicate], isUsed: ColumnId => Boolean): Vector[FileSet] =
    new StatisticsFilter(dialect, types.filter { case (id, _) => isUsed(id) }).sets(predicates)

  private def columnsOf(sets: Vector[FileSet]): Vector[ColumnId] =
    sets.flatMap(FileSet.columns).distinct

  private def withFiles(before: FileIndex, ids: Vector[Long]): FileIndex =
    if (ids.isEmpty) before
    else {
      val builder = new FileIndexBuilder
      builder.addAll(before, Set.empty)
      FileChoices.chosen(ids).foreach { choice =>
        session.foreach(sql.files(table.id, head.snapshot.id, choice)) { row =>
          if (choice.has(row.long(1))) builder.add(row.long(1), row.long(2), row.longOr(3, -1))
        }
      }
      builder.build(head.snapshot, newest)
    }

  private def withColumns(files: FileIndex, columns: Set[ColumnId]): FileIndex = {
    val wanted = columns.filter(types.contains)
    if (files.size == 0 || wanted.isEmpty) files
    else {
      val choices = FileChoices.chosen(files.ids.toVector)
      files.withColumns(
        FileIndexReader.readColumns(session, index, table, files, types, wanted, choices)
      )
    }
  }

  /** The files without statistics of the column, of which only those of new commits are searched. */
  private def gapsOf(column: ColumnId): StatisticsGaps = {
    val before = known.gapsOf(head.identity, table.id, column).filter(isOfThisHistory)
    before.filter(_.until == newest).getOrElse {
      val from = before.filter(_.files.nonEmpty).fold(0L)(_.until.nextFileId)
      val limit = CandidateReader.MostGaps
      val added = session.query(
        sql.withoutStatistics(table.id, column, from, limit + 1L)
      )(_.long(1))
      val all = before.flatMap(_.files).getOrElse(Vector.empty) ++ added
      val found = StatisticsGaps(newest, Option.when(all.sizeIs <= limit)(all))
      known.keep(head.identity, table.id, column, found)
      found
    }
  }

  /** Whether these files are known of this lake, not of one before it was restored from a backup. */
  private def isOfThisHistory(gaps: StatisticsGaps): Boolean =
    gaps.until == newest ||
      session.first(index.time(gaps.until.id))(_.instant(1)).contains(gaps.until.time)
}

private object CandidateReader {

  /** When more files have no statistics of a column, the database does not decide by it. */
  private val MostGaps = 5000
}
