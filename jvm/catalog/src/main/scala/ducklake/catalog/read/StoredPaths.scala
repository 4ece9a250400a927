package ducklake.catalog.read

import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.StoredPathSql

/** What the catalog does with a file.
  *
  * @param text the rest of a sentence about the file
  */
sealed abstract class StoredUse(val text: String)

object StoredUse {

  /** A data file of some snapshot of some table. */
  case object DataFile extends StoredUse("is a data file of the lake already")

  /** A file that waits for its deletion. */
  case object Scheduled extends StoredUse("waits for its deletion")
}

/** Finds files among those that the catalog knows.
  *
  * @param dataPath the data path in use, ending in a separator
  */
final class StoredPaths(session: Session, sql: StoredPathSql, dataPath: String) {

  /** One of the places that the catalog knows, and what for. Rows are read one after another; only
    * the folders of the tables are kept in memory.
    *
    * @param places see [[FilePlace]]
    * @param from the lowest file id that is looked at
    */
  def find(places: Set[String], from: Long): Option[(String, StoredUse)] =
    dataFile(places, from)
      .map(_ -> StoredUse.DataFile)
      .orElse(scheduled(places, from).map(_ -> StoredUse.Scheduled))

  private def dataFile(places: Set[String], from: Long): Option[String] = {
    val folders = tableFolders
    var found = Option.empty[String]
    session.foreach(sql.dataFilesFrom(from)) { row =>
      if (found.isEmpty) {
        val path = PathDecoder.decode(row, 2)
        val holders = if (path.isRelative) folders.getOrElse(row.long(1), Vector.empty) else here
        found = holders.iterator.map(folder => FilePlace.of(path.fileIn(folder))).find(places)
      }
    }
    found
  }

  private def scheduled(places: Set[String], from: Long): Option[String] = {
    var found = Option.empty[String]
    session.foreach(sql.scheduledFrom(from)) { row =>
      if (found.isEmpty)
        found = Some(FilePlace.of(PathDecoder.decode(row, 1).fileIn(dataPath))).filter(places)
    }
    found
  }

  private val here = Vector("")

  /** The folders that each table has had. */
  private def tableFolders: Map[Long, Vector[String]] =
    session
      .query(sql.tableFolders) { row =>
        val schema = PathDecoder.decode(row, 2).folderIn(dataPath)
        row.long(1) -> PathDecoder.decode(row, 4).folderIn(schema)
      }
      .groupMap(_._1)(_._2)
}
