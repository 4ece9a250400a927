package ducklake.catalog.read

import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.FileIndexes
import ducklake.catalog.cache.IndexPruning
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.sql.FileChoice
import ducklake.catalog.sql.FileSql
import ducklake.catalog.sql.IndexSql

/** Lists the files of a table at a snapshot, in one consistent read. With predicates, the index of the
  * table's files says which may match, and only these are read from the database.
  */
final class FileReader(database: Database, snapshots: SnapshotReader) {
  private val indexes = new IndexReader(database.dialect, new FileIndexes(FileReader.IndexBytes))

  def files(head: CatalogHead, table: LakeTable, request: FileRequest): FileListing =
    database.consistent(s"list the files of ${table.qualifiedName}") { session =>
      val parts = new FileParts(session, database.dialect, head, table)
      if (request.predicates.isEmpty) all(parts, table, request)
      else matching(session, parts, head, table, request)
    }

  /** How many delete files data files have had, of those that had any. */
  def deleteFileCounts(
      head: CatalogHead,
      table: LakeTable,
      files: Vector[DataFileId],
  ): Map[DataFileId, Long] =
    database.consistent(s"list the delete files of ${table.qualifiedName}") { session =>
      val sql = new FileSql(database.dialect, head.version)
      files
        .grouped(FileParts.BatchSize)
        .flatMap { some =>
          session.query(sql.countDeleteFiles(table.id, FileChoice.Ids(some.map(_.value)))) { row =>
            DataFileId(row.long(1)) -> row.long(2)
          }
        }
        .toMap
    }

  /** The garbage list, oldest first. Its relative paths are relative to the data path. */
  def scheduledForDeletion(head: CatalogHead): Vector[ScheduledFile] =
    database.single("list the files scheduled for deletion") { session =>
      val sql = new FileSql(database.dialect, head.version)
      session
        .query(sql.scheduled) { row =>
          ScheduledFile(PathRows.decode(row, 1).fileIn(head.dataPath), row.instant(3))
        }
        .sortBy(file => (file.scheduled, file.path))
    }

  private def all(parts: FileParts, table: LakeTable, request: FileRequest): FileListing = {
    val rows = parts.dataFiles(Vector(FileChoice.All))
    listing(parts, table, request, Vector(FileChoice.All), rows, None)
  }

  private def matching(
      session: Session,
      parts: FileParts,
      head: CatalogHead,
      table: LakeTable,
      request: FileRequest,
  ): FileListing = {
    val newest = snapshots.newestIn(session).snapshot.id
    val layouts = readLayouts(session, head, table)
    val index = indexFor(session, head, table, newest, request.predicates, layouts)
    val types = LeafTypes.of(table)
    val left = IndexPruning.survivors(index, request.predicates, layouts, types.get)
    val ids = left.iterator.map(index.ids(_)).toVector
    val choices = FileReader.choices(ids, index.size)
    val wanted = ids.toSet
    val rows = parts.dataFiles(choices).filter(row => wanted(row.id))
    listing(parts, table, request, choices, rows, Some(index))
  }

  private def indexFor(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: SnapshotId,
      predicates: Vector[Predicate],
      layouts: Vector[PartitionSpec],
  ): FileIndex = {
    val columns = predicates.flatMap(PredicateColumns.of).toSet
    val partitioned = layouts.exists(_.keys.exists(key => columns(key.column)))
    indexes.index(session, head, table, newest, columns, partitioned)
  }

  private def readLayouts(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
  ): Vector[PartitionSpec] =
    PartitionRows.read(session, new IndexSql(database.dialect, head.version), head, table)

  private def listing(
      parts: FileParts,
      table: LakeTable,
      request: FileRequest,
      choices: Vector[FileChoice],
      rows: Vector[DataFileRow],
      index: Option[FileIndex],
  ): FileListing = {
    val mappings = parts.mappings(rows.flatMap(_.mapping).distinct)
    val fromPath = mappings.map { case (id, mapping) => id -> PathColumns.of(mapping) }
    val assembler = new FileAssembler(parts, table, choices, fromPath, index)
    FileListing(
      files = assembler.assemble(rows),
      listedFiles = index.fold(rows.size.toLong)(_.size.toLong),
      listedBytes = index.fold(rows.iterator.map(_.sizeBytes).sum)(_.totalBytes),
      statistics = parts.statistics(request.statistics, choices),
      mappings = mappings,
      inlinedTables = parts.inlinedTables,
    )
  }
}

private object FileReader {

  /** What all indexes of a lake may take: a quarter of the heap, at most half a gigabyte. */
  private val IndexBytes: Long = (Runtime.getRuntime.maxMemory / 4).min(512L * 1024 * 1024)

  /** Files by id where these are few, else all of the table. */
  private def choices(ids: Vector[Long], all: Int): Vector[FileChoice] =
    if (ids.size > 5 * FileParts.BatchSize && ids.size > all / 10 || ids.size == all)
      Vector(FileChoice.All)
    else ids.grouped(FileParts.BatchSize).map(FileChoice.Ids(_)).toVector
}
