package ducklake.catalog.read.file

import ducklake.catalog.cache.FileIndexes
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.AddedRows
import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.listing.FileBounds
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.Snapshot
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.read.inlined.InlinedRowReader
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.query.FileFilter
import ducklake.catalog.sql.query.FileSql
import ducklake.catalog.sql.query.IndexSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.MappingId

/** Lists the files of a table at a snapshot in one consistent read. When there are predicates, the
  * index of the table's files finds the files that may match, and only these are read from the
  * database.
  */
final class FileListingReader(
    database: Database,
    snapshots: SnapshotReader,
    memory: PlanMemory,
) {
  private val cache = new FileIndexes(FileIndexes.ofProcess)
  private val indexes = new FileIndexReader(database.dialect, cache)
  private val matches = new MatchingFilesReader(database.dialect, cache, indexes, memory)

  def files(head: CatalogHead, table: LakeTable, request: FileRequest): FileListing =
    consistent(head, table) { (session, newest) =>
      val isWhole = request.predicates.isEmpty && request.slice.isEmpty
      request.enoughRows.filter(_ => isWhole) match {
        case Some(rows) => firstFiles(session, head, table, request, rows)
        case None =>
          val inSlice =
            request.slice.map(new SliceReader(session, database.dialect, head, table).dataFiles)
          val among = inSlice.map(_.map(row => DataFileId(row.id))).orElse(request.among)
          val found =
            if (request.predicates.isEmpty) None
            else {
              val asked = request.copy(among = among)
              Some(matches.matching(session, head, table, newest, asked))
            }
          if (isWhole) matches.checkAll(session, head, table, newest)
          listing(session, head, table, newest, request, found, inSlice)
      }
    }

  /** The first rows after a place.
    *
    * @param count of files, and of snapshots with inlined rows
    */
  def added(head: CatalogHead, table: LakeTable, from: RowPlace, count: Int): AddedRows =
    consistent(head, table) { (session, _) =>
      new SliceReader(session, database.dialect, head, table).next(from, count)
    }

  /** Removes the cached file indexes of the lake. */
  def forget(): Unit = {
    cache.clear()
    matches.forget()
  }

  /** The files with these ids that the table still has. */
  def filesById(
      head: CatalogHead,
      table: LakeTable,
      ids: Vector[DataFileId],
  ): Vector[DataFile] =
    consistent(head, table) { (session, _) =>
      val parts = new FileMetadataReader(session, database.dialect, head, table)
      val choices = FileChoices.byIds(ids.map(_.value))
      assemble(parts, table, choices, parts.dataFiles(choices), PartitionValues.Read)._1
    }

  /** The statistics of columns in these files; absent where the catalog has no row. */
  def fileStatistics(
      head: CatalogHead,
      table: LakeTable,
      columns: Set[ColumnId],
      files: Vector[DataFileId],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]] =
    consistent(head, table) { (session, _) =>
      new FileMetadataReader(session, database.dialect, head, table)
        .statistics(columns, FileChoices.byIds(files.map(_.value)))
    }

  /** The statistics of leaf columns over all data files, from the index of the files. A column
    * without statistics is left out, and so are all where memory does not hold the index.
    */
  def columnSummaries(
      head: CatalogHead,
      table: LakeTable,
      columns: Set[ColumnId],
  ): Map[ColumnId, ColumnSummary] =
    consistent(head, table) { (session, newest) =>
      if (!matches.holdsIndex(session, head, table, newest, columns)) Map.empty
      else {
        val index = indexes.index(session, head, table, newest, columns, Vector.empty)
        columns.flatMap(id => index.columns.get(id).map(id -> _.summary)).toMap
      }
    }

  /** Which of the data files have the snapshot of each row inside. */
  def filesOfSeveralSnapshots(
      head: CatalogHead,
      table: LakeTable,
      files: Vector[DataFileId],
  ): Set[DataFileId] =
    consistent(head, table) { (session, _) =>
      val sql = new FileSql(database.dialect, head.version)
      FileChoices
        .byIds(files.map(_.value))
        .flatMap { choice =>
          session.query(sql.filesOfSeveralSnapshots(table.id, choice)) { row =>
            DataFileId(row.long(1))
          }
        }
        .toSet
    }

  /** How many delete files each data file has had. Data files without delete files are left out. */
  def deleteFileCounts(
      head: CatalogHead,
      table: LakeTable,
      files: Vector[DataFileId],
  ): Map[DataFileId, Long] =
    consistent(head, table) { (session, _) =>
      val sql = new FileSql(database.dialect, head.version)
      FileChoices
        .byIds(files.map(_.value))
        .flatMap { choice =>
          session.query(sql.countDeleteFiles(table.id, choice)) { row =>
            DataFileId(row.long(1)) -> row.long(2)
          }
        }
        .toMap
    }

  /** Whether files were ever registered for the table. */
  def hadRegisteredFiles(head: CatalogHead, table: LakeTable): Boolean =
    head.version.hasMappings && consistent(head, table) { (session, _) =>
      val sql = new IndexSql(database.dialect, head.version)
      session.first(sql.registered(table.id))(_.long(1)).nonEmpty
    }

  /** @param body gets the session and the newest snapshot that the session sees
    */
  private def consistent[A](head: CatalogHead, table: LakeTable)(
      body: (Session, Snapshot) => A
  ): A =
    database.consistent(s"list the files of ${table.qualifiedName}") { session =>
      body(session, snapshots.stillIn(session, head).snapshot)
    }

  /** @param found the files that may match; None: all files
    * @param inSlice the files of the slice; None: no slice is wanted
    */
  private def listing(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
      request: FileRequest,
      found: Option[MatchingFiles],
      inSlice: Option[Vector[DataFileRow]],
  ): FileListing = {
    val parts = new FileMetadataReader(session, database.dialect, head, table)
    val isWanted = found.fold((_: Long) => true)(some => some.isFound)
    val slices = new SliceReader(session, database.dialect, head, table)
    val choices = inSlice
      .map(rows => FileChoices.of(rows.filter(row => isWanted(row.id))))
      .orElse(found.map(_.choices))
      .getOrElse(Vector(FileFilter.All))
    val rows = inSlice.getOrElse(parts.dataFiles(choices)).filter(row => isWanted(row.id))
    val all = found.map(_.all).filter(_ => inSlice.isEmpty)
    val (whole, mappings) = assemble(parts, table, choices, rows, request.partitionValues)
    val files = request.slice.fold(whole)(slice => whole.flatMap(slice.of))
    readInlined(session, head, table, request)
    val listed = inSlice.getOrElse(rows)
    FileListing(
      files,
      listedFiles = all.fold(listed.size.toLong)(_.files),
      listedBytes = all.fold(listed.iterator.map(_.sizeBytes).sum)(_.bytes),
      statistics = parts.statistics(request.statistics, choices),
      mappings,
      isPruned = found.fold((_: DataFileId) => false)(_.isPruned),
      fullMatches = if (request.asksFullMatches) fullMatches(files, found) else _ => false,
      keepsPlaces =
        request.slice.forall(slice => (slice.to ++ Some(slice.from)).forall(slices.keeps)),
      bounds =
        if (request.bounds.isEmpty) FileBounds.none
        else if (found.exists(!_.isWhole))
          found.fold(FileBounds.none)(some => IndexedBounds.of(some.index, request.bounds))
        else if (FileChoices.areMany(rows.size) && choices.contains(FileFilter.All)) {
          val columns = request.bounds
          val whole = indexes.index(session, head, table, newest, columns, Vector.empty)
          IndexedBounds.of(whole, columns)
        } else FileBounds.Known(parts.statistics(request.bounds, choices)),
    )
  }

  private def firstFiles(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      request: FileRequest,
      rows: Long,
  ): FileListing = {
    val first = new FirstFilesReader(session, database.dialect, head, table, memory)
      .read(rows, request.partitionValues)
    readInlined(session, head, table, request)
    val choices = FileChoices.byIds(first.files.map(_.id.value))
    val parts = new FileMetadataReader(session, database.dialect, head, table)
    FileListing(
      first.files,
      listedFiles = first.count,
      listedBytes = first.bytes,
      statistics = parts.statistics(request.statistics, choices),
      first.mappings,
      isPruned = _ => false,
      fullMatches = if (request.asksFullMatches) fullMatches(first.files, None) else _ => false,
      bounds = FileBounds.Known(parts.statistics(request.bounds, choices)),
    )
  }

  private def readInlined(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      request: FileRequest,
  ): Unit =
    request.inlined.foreach { inlined =>
      new InlinedRowReader(session, database.dialect, head, table)
        .read(inlined, request.predicates, request.slice)
    }

  private def fullMatches(
      files: Vector[DataFile],
      found: Option[MatchingFiles],
  ): DataFileId => Boolean =
    found.fold((_: DataFileId) => true) { some =>
      files.filter(some.isFullMatch).map(_.id).toSet
    }

  private def assemble(
      parts: FileMetadataReader,
      table: LakeTable,
      choices: Vector[FileFilter],
      rows: Vector[DataFileRow],
      values: PartitionValues,
  ): (Vector[DataFile], Map[MappingId, NameMapping]) = {
    val (assembler, mappings) = FileAssembler.of(parts, table, choices, rows, values)
    (assembler.assemble(rows), mappings)
  }
}
