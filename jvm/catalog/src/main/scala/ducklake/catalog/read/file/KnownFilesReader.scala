package ducklake.catalog.read.file

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.path.PathSpelling
import ducklake.catalog.read.schema.PathDecoder
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.sql.write.FileKind
import ducklake.catalog.types.TableId

/** Reads the paths of all files that the catalog lists. */
final class KnownFilesReader(database: Database) {
  private val sql = new ExpirySql(database.dialect)

  /** Calls the action with the full path of each data file and delete file of every snapshot, in
    * the spelling of the catalog. A path may come several times. The paths are not collected.
    */
  def foreach(dataPath: String)(action: String => Unit): Unit =
    database.consistent("list all files of the lake") { session =>
      val folders = TableFolders.read(session, sql.allDirectories, dataPath)
      FileKind.all.foreach { kind =>
        session.foreach(sql.allFiles(kind)) { row =>
          val path = PathDecoder.decode(row, 2)
          val table = TableId(row.long(1))
          action(path.fileIn(TableFolders.of(folders, table)))
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
        .collect {
          case (table, path) if path.isRelative => path.fileIn(TableFolders.of(folders, table))
        }
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

  /** The folder of a table. Errors: CorruptCatalog. */
  def of(folders: Map[TableId, String], table: TableId): String =
    folders.getOrElse(
      table,
      throw new LakeException(
        LakeError.CorruptCatalog(s"table ${table.value}", "it has files, but it is not listed")
      ),
    )

  private def decode(row: Row, dataPath: String): (TableId, String) = {
    val schema = PathDecoder.decode(row, 2).folderIn(dataPath)
    TableId(row.long(1)) -> PathDecoder.decode(row, 4).folderIn(schema)
  }
}
