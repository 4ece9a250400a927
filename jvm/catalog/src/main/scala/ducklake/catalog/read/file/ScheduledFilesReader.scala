package ducklake.catalog.read.file

import ducklake.catalog.jdbc.Database
import ducklake.catalog.listing.ScheduledFile
import ducklake.catalog.read.schema.PathDecoder
import ducklake.catalog.sql.query.ScheduledSql

import java.time.Instant

/** Lists the files scheduled for deletion. A lake may have millions of them. */
final class ScheduledFilesReader(database: Database) {
  import ScheduledFilesReader.*

  private val sql = new ScheduledSql(database.dialect)

  /** The files, ordered by their stored paths. Each page is read when it is needed, by a separate
    * statement, so the files of earlier pages may be removed from the list meanwhile. Of several
    * rows with one path, some may be left out.
    *
    * @param dataPath relative paths start there
    * @param before only files that were scheduled before; None: all files
    */
  def list(dataPath: String, before: Option[Instant]): Iterator[ScheduledFile] =
    Iterator
      .unfold(Option(FirstPage)) {
        case None => None
        case Some(after) =>
          val page = read(dataPath, before, after)
          val next = Option.when(page.size == PageSize)(page.last.storedPath)
          Some((page.filter(file => before.forall(file.scheduled.isBefore)), next))
      }
      .flatten

  private def read(
      dataPath: String,
      before: Option[Instant],
      after: String,
  ): Vector[ScheduledFile] =
    database.single("list the files scheduled for deletion") { session =>
      session.query(sql.page(before, after, PageSize)) { row =>
        val path = PathDecoder.decode(row, 1)
        ScheduledFile(path.fileIn(dataPath), path.text, row.instant(3))
      }
    }
}

private[catalog] object ScheduledFilesReader {

  /** The number of files in memory at a time. The database sorts the rest of the list for each page,
    * so pages are large.
    */
  val PageSize = 50000

  /** Before all paths. */
  private val FirstPage = ""
}
