package ducklake.catalog.read.file

import ducklake.catalog.cache.BucketIndex
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.FileIndexes
import ducklake.catalog.change.statistics.LeafColumns
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
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.Snapshot
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.predicate.PredicateColumns
import ducklake.catalog.pruning.IndexPruning
import ducklake.catalog.read.inlined.InlinedRowReader
import ducklake.catalog.read.schema.PartitionSpecReader
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
final class FileListingReader(database: Database, snapshots: SnapshotReader) {
  private val cache = new FileIndexes(FileIndexes.ofProcess)
  private val indexes = new FileIndexReader(database.dialect, cache)

  def files(head: CatalogHead, table: LakeTable, request: FileRequest): FileListing =
    consistent(head, table) { (session, newest) =>
      val isWhole = request.predicates.isEmpty && request.slice.isEmpty
      request.enoughRows.filter(_ => isWhole) match {
        case Some(rows) => firstFiles(session, head, table, request, rows)
        case None =>
          val found =
            if (request.predicates.isEmpty) None
            else Some(matching(session, head, table, newest, request.predicates))
          listing(session, head, table, newest, request, found)
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
  def forget(): Unit = cache.clear()

  /** The files with these ids that the table still has. */
  def filesById(
      head: CatalogHead,
      table: LakeTable,
      ids: Vector[DataFileId],
  ): Vector[DataFile] =
    consistent(head, table) { (session, _) =>
      val parts = new FileMetadataReader(session, database.dialect, head, table)
      val choices = FileListingReader.byIds(ids.map(_.value))
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
        .statistics(columns, FileListingReader.byIds(files.map(_.value)))
    }

  /** The statistics of leaf columns over all data files, from the index of the files. A column
    * without statistics is left out.
    */
  def columnSummaries(
      head: CatalogHead,
      table: LakeTable,
      columns: Set[ColumnId],
  ): Map[ColumnId, ColumnSummary] =
    consistent(head, table) { (session, newest) =>
      val index = indexes.index(session, head, table, newest, columns, Vector.empty)
      columns.flatMap(id => index.columns.get(id).map(id -> _.summary)).toMap
    }

  /** Which of the data files have the snapshot of each row inside. */
  def filesOfSeveralSnapshots(
      head: CatalogHead,
      table: LakeTable,
      files: Vector[DataFileId],
  ): Set[DataFileId] =
    consistent(head, table) { (session, _) =>
      val sql = new FileSql(database.dialect, head.version)
      FileListingReader
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
      FileListingReader
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

  private def matching(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
      predicates: Vector[Predicate],
  ): MatchingFiles = {
    val specs = readSpecs(session, head, table)
    val index = indexFor(session, head, table, newest, predicates, specs)
    val left = IndexPruning.matching(index, predicates, specs, LeafColumns.of(table.columns).get)
    val types = table.columns.map(column => column.id -> column.dataType).toMap
    val isFullMatch = IndexPruning.isFullMatch(index, predicates, types.get)(_)
    MatchingFiles(index, left.map(index.ids(_)), isFullMatch)
  }

  private def indexFor(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
      predicates: Vector[Predicate],
      specs: Vector[PartitionSpec],
  ): FileIndex = {
    val columns = predicates.flatMap(PredicateColumns.of).toSet
    val isBucketed = BucketIndex.columns(specs).exists(columns)
    indexes.index(session, head, table, newest, columns, if (isBucketed) specs else Vector.empty)
  }

  private def readSpecs(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
  ): Vector[PartitionSpec] =
    PartitionSpecReader.read(session, new IndexSql(database.dialect, head.version), head, table)

  /** @param found the files that may match; None: all files
    */
  private def listing(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
      request: FileRequest,
      found: Option[MatchingFiles],
  ): FileListing = {
    val parts = new FileMetadataReader(session, database.dialect, head, table)
    val isWanted = found.fold((_: Long) => true)(some => some.isFound)
    val slices = new SliceReader(session, database.dialect, head, table)
    val inSlice = request.slice.map(slices.dataFiles)
    val choices = inSlice
      .map(rows => FileListingReader.of(rows.filter(row => isWanted(row.id))))
      .orElse(found.map(_.choices))
      .getOrElse(Vector(FileFilter.All))
    val rows = inSlice.getOrElse(parts.dataFiles(choices)).filter(row => isWanted(row.id))
    val index = found.map(_.index).filter(_ => inSlice.isEmpty)
    val (whole, mappings) = assemble(parts, table, choices, rows, request.partitionValues)
    val files = request.slice.fold(whole)(slice => whole.flatMap(slice.of))
    readInlined(session, head, table, request)
    val listed = inSlice.getOrElse(rows)
    FileListing(
      files,
      listedFiles = index.fold(listed.size.toLong)(_.size.toLong),
      listedBytes = index.fold(listed.iterator.map(_.sizeBytes).sum)(_.totalBytes),
      statistics = parts.statistics(request.statistics, choices),
      mappings,
      isPruned = found.fold((_: DataFileId) => false)(_.isPruned),
      fullMatches = if (request.asksFullMatches) fullMatches(files, found) else _ => false,
      keepsPlaces =
        request.slice.forall(slice => (slice.to ++ Some(slice.from)).forall(slices.keeps)),
      bounds =
        if (request.bounds.isEmpty) FileBounds.none
        else if (FileListingReader.areMany(rows.size) && choices.contains(FileFilter.All)) {
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
    val first = new FirstFilesReader(session, database.dialect, head, table)
      .read(rows, request.partitionValues)
    readInlined(session, head, table, request)
    val choices = FileListingReader.byIds(first.files.map(_.id.value))
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

private[read] object FileListingReader {

  /** Selects these files by id when they are few, else all files of the table. */
  def of(rows: Vector[DataFileRow]): Vector[FileFilter] =
    if (areMany(rows.size)) Vector(FileFilter.All) else byIds(rows.map(_.id))

  def areMany(files: Int): Boolean = files > 5 * FileMetadataReader.BatchSize

  def byIds(ids: Vector[Long]): Vector[FileFilter] =
    ids.grouped(FileMetadataReader.BatchSize).map(FileFilter.Ids(_)).toVector
}

/** The files of an index that may hold matching rows.
  *
  * @param ids increasing
  * @param isFullMatchAt whether all rows match, for the file at a position of the index
  */
private final case class MatchingFiles(
    index: FileIndex,
    ids: Array[Long],
    isFullMatchAt: Int => Boolean,
) {
  def isFound(id: Long): Boolean = java.util.Arrays.binarySearch(ids, id) >= 0

  /** Selects the files by id when they are few, else all files of the table. */
  def choices: Vector[FileFilter] =
    if (
      FileListingReader.areMany(
        ids.length
      ) && ids.length > index.size / 10 || ids.length == index.size
    )
      Vector(FileFilter.All)
    else FileListingReader.byIds(ids.toVector)

  /** Whether a file of the index was pruned. The function holds the ids only, so that the rest of
    * the index can be freed.
    */
  def isPruned: DataFileId => Boolean = {
    val (all, found) = (index.ids, ids)
    def isIn(some: Array[Long], id: Long) = java.util.Arrays.binarySearch(some, id) >= 0
    file => !isIn(found, file.value) && isIn(all, file.value)
  }

  /** Whether all rows of the file match for certain. */
  def isFullMatch(file: DataFile): Boolean = {
    val at = index.position(file.id.value, -1)
    file.provesRows && at >= 0 && isFullMatchAt(at)
  }
}
