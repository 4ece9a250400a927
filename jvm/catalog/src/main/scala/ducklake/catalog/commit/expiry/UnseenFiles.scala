package ducklake.catalog.commit.expiry

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.model.KeptSnapshots
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.Lifetime
import ducklake.catalog.read.file.TableFolders
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.sql.write.FileKind
import ducklake.catalog.sql.write.LeftoverSql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** How many files of each kind. */
final case class FileCounts(dataFiles: Long, deleteFiles: Long) {
  def plus(other: FileCounts): FileCounts =
    FileCounts(dataFiles + other.dataFiles, deleteFiles + other.deleteFiles)
}

object FileCounts {
  val none: FileCounts = FileCounts(0, 0)
}

/** Removes files that no snapshot sees from the catalog, and schedules them for deletion. Files are
  * searched in pages, so that memory does not grow with the number of files.
  *
  * @param dataPath the data path in use, ending in a separator
  */
private[expiry] final class UnseenFiles(
    database: Database,
    sql: ExpirySql,
    steps: ShortTransactions,
    dataPath: String,
    version: FormatVersion,
) {
  import UnseenFiles.*

  private val swept = new FileDescriptions(sql, new TableSweep(database, steps))
  private val leftovers = new LeftoverSql(database.dialect)
  private val write = new WriteSql(database.dialect, version)

  /** Schedules all files that no snapshot sees: files that have ended, all files of the given
    * tables, and delete files without a data file. Returns their number. A file without a place
    * ([[TableFolders.place]]) only leaves the catalog. The rows that describe data files go first,
    * so that a call after an interrupted one still finds whose they are.
    *
    * @param tables tables that no snapshot sees
    */
  def schedule(kept: KeptSnapshots, tables: Vector[TableId]): FileCounts = {
    val groups = tables.grouped(TablesPerQuestion).toVector
    swept.remove(kept, pages(FileKind.Data, kept, groups), tables)
    val data = each(pages(FileKind.Data, kept, groups))(scheduleDataFiles)
    val left = pagesOf(leftovers.deleteFiles(_, PageSize), _ => true)
    data.plus(each(pages(FileKind.Delete, kept, groups) ++ left)(scheduleDeleteFiles))
  }

  private def pages(
      kind: FileKind,
      kept: KeptSnapshots,
      groups: Vector[Vector[TableId]],
  ): Iterator[Vector[Long]] = {
    val ended = pagesOf(sql.endedFiles(kind, _, PageSize), kept.isUnseen)
    val live = groups.iterator.flatMap { tables =>
      pagesOf(sql.liveFiles(kind, tables, _, PageSize), _ => true)
    }
    ended ++ live
  }

  /** Runs the step for all files, and adds up its results. */
  private def each(pages: Iterator[Vector[Long]])(
      step: (WriteSession, Vector[Long]) => FileCounts
  ): FileCounts =
    pages.foldLeft(FileCounts.none)((sum, ids) => steps.sum(ids, sum)(step)(_.plus(_)))

  /** The ids of the files that no snapshot sees, page by page. */
  private def pagesOf(
      question: Long => Sql,
      isUnseen: Lifetime => Boolean,
  ): Iterator[Vector[Long]] =
    Iterator
      .unfold(Option(BeforeAll)) {
        case None => None
        case Some(after) =>
          val rows = database.single("look for files that no snapshot sees") { session =>
            session.query(question(after)) { row =>
              val end = row.longOption(3).map(SnapshotId(_))
              (row.long(1), Lifetime(SnapshotId(row.long(2)), end))
            }
          }
          val unseen = rows.collect { case (id, lifetime) if isUnseen(lifetime) => id }
          Some((unseen, Option.when(rows.size == PageSize)(rows.last._1)))
      }
      .filter(_.nonEmpty)

  /** Reads the rows again, because another expiry may have removed them meanwhile. */
  private def scheduleDataFiles(session: WriteSession, ids: Vector[Long]): FileCounts = {
    val data = read(session, FileKind.Data, ids)
    session.execute(sql.removeFileRows(ids))
    insert(session, data)
    FileCounts(data.size.toLong, 0)
  }

  private def scheduleDeleteFiles(session: WriteSession, ids: Vector[Long]): FileCounts = {
    val deletes = read(session, FileKind.Delete, ids)
    session.execute(sql.removeDeleteFiles(ids))
    insert(session, deletes)
    FileCounts(0, deletes.size.toLong)
  }

  private def read(session: Session, kind: FileKind, ids: Vector[Long]): Vector[FileRow] =
    session.query(sql.files(kind, ids)) { row =>
      val path = LakePath(row.text(3), row.booleanOption(4).getOrElse(true))
      FileRow(row.long(1), TableId(row.long(2)), path)
    }

  private def insert(session: WriteSession, files: Vector[FileRow]): Unit =
    if (files.nonEmpty) {
      val folders = directories(session, files.map(_.table).distinct)
      val now = session.now()
      val placed = files.flatMap { file =>
        TableFolders
          .place(folders, file.table, file.path)
          .map(path => (file.id, LakePath.below(dataPath, path)))
      }
      write
        .insert(MetadataSchema.ScheduledForDeletion, placed)(
          "data_file_id" -> (file => Bind.Number(file._1)),
          "path" -> (file => Bind.Text(file._2.text)),
          "path_is_relative" -> (file => Bind.Flag(file._2.isRelative)),
          "schedule_start" -> (_ => Bind.Moment(now)),
        )
        .foreach(session.execute)
    }

  /** The folder of each table. */
  private def directories(session: Session, tables: Vector[TableId]): Map[TableId, String] =
    tables
      .grouped(TablesPerQuestion)
      .flatMap(some => TableFolders.read(session, sql.directories(some), dataPath))
      .toMap
}

private object UnseenFiles {
  private val PageSize = 5000
  private val TablesPerQuestion = 1000
  private val BeforeAll = -1L

  private final case class FileRow(id: Long, table: TableId, path: LakePath)
}
