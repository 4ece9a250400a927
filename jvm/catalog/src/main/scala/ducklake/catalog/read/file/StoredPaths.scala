package ducklake.catalog.read.file

import ducklake.catalog.jdbc.Session
import ducklake.catalog.path.PathSpelling
import ducklake.catalog.read.schema.PathDecoder
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.StoredPathSql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.types.TableId

/** Finds paths among the paths of the newest files in the catalog.
  *
  * @param dataPath the data path in use, ending in a separator
  */
final class StoredPaths(session: Session, dialect: Dialect, dataPath: String) {
  private val sql = new StoredPathSql(dialect)

  /** A spelling that names a data file of any table, or a file scheduled for deletion. Rows are
    * read one after another; only the folders of the tables are kept in memory.
    *
    * @param spellings see [[PathSpelling]]
    * @param from the lowest file id that is read
    */
  def find(spellings: Set[String], from: Long): Option[String] = {
    val folders = TableFolders.read(session, new ExpirySql(dialect).allDirectories, dataPath)
    val among = (path: String) => Some(PathSpelling.of(path)).filter(spellings)
    var found = Option.empty[String]
    session.foreach(sql.dataFilesFrom(from)) { row =>
      val table = TableId(row.long(1))
      val path = TableFolders.place(folders, table, PathDecoder.decode(row, 2))
      found = found.orElse(path.flatMap(among))
    }
    session.foreach(sql.scheduledFrom(from)) { row =>
      found = found.orElse(among(PathDecoder.decode(row, 1).fileIn(dataPath)))
    }
    found
  }
}
