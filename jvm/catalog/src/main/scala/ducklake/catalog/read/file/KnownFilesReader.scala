package ducklake.catalog.read.file

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakePath
import ducklake.catalog.path.PathSpelling
import ducklake.catalog.read.schema.PathDecoder
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.sql.write.FileKind
import ducklake.catalog.types.TableId

/** Reads the paths of all files that the catalog lists. */
final class KnownFilesReader(database: Database) {
  private val sql = new ExpirySql(database.dialect)

  /** Calls the action with the full path of each data file and delete file of every snapshot that
    * has a place ([[TableFolders.place]]), in the spelling of the catalog. A path may come several
    * times. The paths are not collected.
    */
  def foreach(dataPath: String)(action: String => Unit): Unit =
    database.consistent("list all files of the lake") { session =>
      val folders = TableFolders.read(session, sql.allDirectories, dataPath)
      FileKind.all.foreach { kind =>
        session.foreach(sql.allFiles(kind)) { row =>
          val path = PathDecoder.decode(row, 2)
          TableFolders.place(folders, TableId(row.long(1)), path).foreach(action)
        }
      }
    }

  /** Calls the action with the full path of each file that is scheduled for deletion. The paths are
    * not collected.
    */
  def foreachScheduled(dataPath: String)(action: String => Unit): Unit =
    database.consistent("list the files scheduled for deletion") { session =>
      session.foreach(sql.allScheduled)(row => action(PathDecoder.decode(row, 1).fileIn(dataPath)))
    }

  /** The folders of all schemas below the data path, dropped schemas included. A stored path may
    * lead out of the data path, also by `..`.
    */
  def schemaFolders(dataPath: String): Vector[String] =
    database.single("read the folders of the schemas") { session =>
      session
        .query(sql.schemaPaths)(PathDecoder.decode(_, 1).folderIn(dataPath))
        .filter(PathSpelling.isBelow(dataPath, _))
        .distinct
    }

  /** Some files below the data path: the first and the last files in the catalog.
    *
    * @param dataPath ends in a separator
    */
  def some(dataPath: String): Vector[String] =
    database.consistent("find the folder of the files") { session =>
      val rows = sql.someFiles.flatMap { question =>
        session.query(question)(row => (TableId(row.long(1)), PathDecoder.decode(row, 2)))
      }
      val tables = rows.map(_._1).distinct
      val folders =
        if (tables.isEmpty) Map.empty[TableId, String]
        else TableFolders.read(session, sql.directories(tables), dataPath)
      rows.distinct
        .collect { case (table, path) if path.isRelative => folders.get(table).map(path.fileIn) }
        .flatten
        .filter(_.startsWith(dataPath))
    }
}

/** The folders of tables, dropped tables included. */
object TableFolders {

  /** @param question a statement on directories of `ExpirySql`
    * @param dataPath ends in a separator
    */
  def read(session: Session, question: Sql, dataPath: String): Map[TableId, String] =
    session.query(question)(decode(_, dataPath)).toMap

  /** The full path of a file; None for a relative path in a table that is not listed, which nobody
    * can open. A transaction of DuckDB leaves such a file when it commits after the snapshot that
    * it began on has expired, and its table with it (decision 13).
    */
  def place(folders: Map[TableId, String], table: TableId, path: LakePath): Option[String] =
    folders.get(table).map(path.fileIn).orElse(Option.unless(path.isRelative)(path.text))

  private def decode(row: Row, dataPath: String): (TableId, String) = {
    val schema = PathDecoder.decode(row, 2).folderIn(dataPath)
    TableId(row.long(1)) -> PathDecoder.decode(row, 4).folderIn(schema)
  }
}
