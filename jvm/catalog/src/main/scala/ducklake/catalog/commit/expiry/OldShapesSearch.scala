package ducklake.catalog.commit.expiry

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.KeptSnapshots
import ducklake.catalog.model.Lifetime
import ducklake.catalog.model.OldColumn
import ducklake.catalog.model.OldSchemaVersion
import ducklake.catalog.model.OldShapes
import ducklake.catalog.sql.write.OldMetadataSql
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Finds the past shapes of tables that nothing needs: schema versions, columns and partition specs
  * that no snapshot sees, in whose time no data file began. DuckDB and Spark read a data file, and an
  * inlined table, with the columns that its table had when the schema version began. So a schema
  * version with such a file or inlined table stays, with the columns that began before its end.
  *
  * Memory grows with the number of old rows, not with that of files, nor of tables that have not
  * changed.
  */
private[expiry] final class OldShapesSearch(
    database: Database,
    sql: OldMetadataSql,
    kept: KeptSnapshots,
) {
  import OldShapesSearch.*

  /** @param pinned the schema versions of the inlined tables that stay, by table
    * @param filled tables with inlined rows, whose shapes all stay: a flush makes files of any of
    *   them
    */
  def run(pinned: Map[TableId, Set[Long]], filled: Set[TableId]): OldShapes = {
    val histories = database.consistent("read the schema versions")(historiesIn)
    val candidates = histories.flatMap { history =>
      val needed = pinned.getOrElse(history.table, Set.empty)
      val isKnown = needed.subsetOf(history.versions.map(_.number).toSet)
      Option.when(isKnown && !filled(history.table))(history.table -> history)
    }.toMap
    val (columns, partitions) = database.consistent("read the past of tables") { session =>
      (endedColumns(session, candidates.contains), endedPartitions(session))
    }
    val used =
      if (candidates.isEmpty && partitions.isEmpty) Used.nothing
      else usedByFiles(candidates, partitions)
    val old = candidates.map { case (table, history) =>
      val needed = pinned.getOrElse(table, Set.empty)
      table -> history.replaced.filterNot { version =>
        !isUnseen(version.begin, version.end) || needed(version.number) ||
        used.versions(OldSchemaVersion(table, version.begin))
      }
    }
    val staying = candidates.map { case (table, history) =>
      table -> history.versions.map(_.begin).diff(old(table).map(_.begin))
    }
    OldShapes(
      old.toVector.flatMap { case (table, versions) =>
        versions.map(version => OldSchemaVersion(table, version.begin))
      },
      columns.collect {
        case (column, end) if !staying(column.table).exists(isWithin(_, column.begin, end)) =>
          column
      },
      partitions.filterNot(used.partitions),
    )
  }

  /** The tables with a past schema version that no snapshot sees. */
  private def historiesIn(session: Session): Vector[History] = {
    val found = Vector.newBuilder[History]
    var current = History(NoTable, Vector.empty) // changed in the loop over the ordered rows
    session.foreach(sql.schemaVersions) { row =>
      val table = TableId(row.long(1))
      if (table != current.table) {
        found ++= Some(current).filter(isOld)
        current = History(table, Vector.empty)
      }
      current = current.and(row.long(2), row.long(3))
    }
    found ++= Some(current).filter(isOld)
    found.result()
  }

  private def isOld(history: History): Boolean =
    history.replaced.exists(version => isUnseen(version.begin, version.end))

  private def endedColumns(
      session: Session,
      isCandidate: TableId => Boolean,
  ): Vector[(OldColumn, Long)] = {
    val found = Vector.newBuilder[(OldColumn, Long)]
    session.foreach(sql.endedColumns) { row =>
      val (table, begin, end) = (TableId(row.long(1)), row.long(3), row.long(4))
      if (isCandidate(table) && isUnseen(begin, end))
        found += OldColumn(table, row.long(2), begin) -> end
    }
    found.result()
  }

  private def endedPartitions(session: Session): Vector[Long] = {
    val found = Vector.newBuilder[Long]
    session.foreach(sql.endedPartitions) { row =>
      if (isUnseen(row.long(2), row.long(3))) found += row.long(1)
    }
    found.result()
  }

  /** What data files need of these shapes, read page by page. A file that a merge or a flush makes
    * meanwhile begins with a file that is read here, or with an inlined row.
    */
  private def usedByFiles(histories: Map[TableId, History], partitions: Vector[Long]): Used = {
    val wanted = partitions.toSet
    pages.flatten.foldLeft(Used.nothing) { (used, file) =>
      val versions = histories.get(file.table).toVector.flatMap { history =>
        Vector(file.begin, file.last).flatMap(history.at).map { version =>
          OldSchemaVersion(file.table, version.begin)
        }
      }
      Used(used.versions ++ versions, used.partitions ++ file.partition.filter(wanted))
    }
  }

  private def pages: Iterator[Vector[FileUse]] =
    Iterator.unfold(BeforeAll) { after =>
      val page = database.single("read the files of past shapes") { session =>
        session.query(sql.dataFiles(after, PageSize)) { row =>
          FileUse(row.long(1), TableId(row.long(2)), row.long(3), row.long(4), row.longOption(5))
        }
      }
      page.lastOption.map(last => (page, last.id))
    }

  private def isUnseen(begin: Long, end: Long): Boolean =
    kept.isUnseen(Lifetime(SnapshotId(begin), Some(SnapshotId(end))))
}

private object OldShapesSearch {
  private val PageSize = 20_000
  private val BeforeAll = -1L

  private def isWithin(snapshot: Long, begin: Long, end: Long): Boolean =
    begin <= snapshot && snapshot < end

  /** @param end the first snapshot of the next version */
  private final case class Version(number: Long, begin: Long, end: Long)

  private val NoTable = TableId(-1L)

  /** @param versions by begin */
  private final case class History(table: TableId, versions: Vector[Version]) {

    /** With the next version, which ends the one before. */
    def and(number: Long, begin: Long): History = {
      val before = versions.lastOption.map(_.copy(end = begin))
      copy(versions = versions.dropRight(1) ++ before :+ Version(number, begin, Long.MaxValue))
    }

    /** The versions that a later snapshot replaced. Versions of the same snapshot stay with the last
      * of them.
      */
    def replaced: Vector[Version] =
      versions.dropRight(1).filter(version => versions.count(_.begin == version.begin) == 1)

    def at(snapshot: Long): Option[Version] =
      versions.find(version => isWithin(snapshot, version.begin, version.end))
  }

  /** @param last the last snapshot of which the file has rows: a file that DuckDB 2.0 has merged over
    *   a change of the columns is rewritten with those of this snapshot
    */
  private final case class FileUse(
      id: Long,
      table: TableId,
      begin: Long,
      last: Long,
      partition: Option[Long],
  )

  /** What data files need. */
  private final case class Used(versions: Set[OldSchemaVersion], partitions: Set[Long])

  private object Used {
    val nothing: Used = Used(Set.empty, Set.empty)
  }
}
